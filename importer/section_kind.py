"""What a heading announces, read from its words in seven languages."""

from __future__ import annotations

import re
import unicodedata

from catalog.skill import SectionKind


def kind_of_heading(heading: str) -> SectionKind:
    """The kind of the first rule that knows a word of the heading, else OTHER.

    Latin words match whole, Chinese, Japanese and Korean ones anywhere.
    """
    folded = unicodedata.normalize("NFKC", heading).casefold()
    for kind, pattern in _RULES:
        if pattern.search(folded):
            return kind
    return SectionKind.OTHER


# In order: "Common errors, with examples" is about failures, "Example steps" an example.
_WORDS: tuple[tuple[SectionKind, str, str], ...] = (
    (
        SectionKind.FAILURE_MODES,
        "failure modes?|failures?|troubleshooting|pitfalls?|gotchas?|common (?:mistakes|errors|"
        "issues|problems)|known (?:issues|problems)|errors?|error handling|caveats?|"
        "anti-?patterns?|what can go wrong|when (?:it|things) (?:fails?|goes? wrong)|"
        "fehler|fehlerfälle|fehlerbehebung|fehlerbehandlung|fehlersuche|problembehebung|"
        "fallstricke|häufige fehler|"
        "fallos?|errores|modos de fallo|solución de problemas|resolución de problemas|"
        "échecs?|erreurs|modes de défaillance|défaillances|dépannage|pièges?",
        "故障|失败|失敗|排错|排查|常见错误|常见问题|错误处理|異常處理|异常处理|踩坑|避坑|陷阱|"
        "トラブル|よくある間違い|よくあるエラー|エラー|落とし穴|"
        "실패|문제 ?해결|오류|흔한 실수|함정",
    ),
    (
        SectionKind.PRECONDITIONS,
        "preconditions?|pre-?requisites?|pre-?reqs?|requirements?|"
        "before (?:you|we) (?:start|begin)|before starting|"
        "voraussetzung(?:en)?|vorbedingung(?:en)?|anforderungen|"
        "requisitos(?: previos)?|prerrequisitos|condiciones previas|precondiciones|"
        "antes de empezar|"
        "prérequis|pré-requis|conditions préalables|préconditions|avant de commencer",
        "前提|先决条件|先決條件|前置|准备工作|準備工作|必要条件|事前準備|"
        "전제|사전 ?(?:조건|준비|요구)|선행 ?조건|요구 ?사항|준비 ?사항",
    ),
    (
        SectionKind.EXAMPLES,
        "examples?|samples?|worked example|beispiele?|anwendungsbeispiele?|ejemplos?|exemples?",
        "示例|例子|案例|范例|範例|样例|サンプル|使用例|実例|具体例|^例$|예시|예제|사용 ?예",
    ),
    (
        SectionKind.REFERENCES,
        "references|^references?$|reference (?:files?|documents?|docs|materials?|links?)|"
        "further reading|see also|(?:additional |external |related )?resources|bibliography|"
        "(?:useful |related )?links|"
        "referenzen|verweise|quellen|weiterführende (?:literatur|links)|siehe auch|"
        "referencias|recursos|enlaces|bibliografía|véase también|"
        "références|ressources|liens|bibliographie|voir aussi",
        "参考|參考|相关链接|相關連結|相关资源|延伸阅读|リファレンス|関連資料|関連リンク|"
        "참고|참조|관련 ?(?:링크|자료|문서)",
    ),
    (
        SectionKind.STEPS,
        "steps?|procedures?|workflows?|process|instructions?|phases?|"
        "schritte?|ablauf|vorgehen(?:sweise)?|arbeitsablauf|anleitung|arbeitsschritte|"
        "pasos?|procedimientos?|flujo(?: de trabajo)?|instrucciones|"
        "étapes?|procédures?|déroulement|marche à suivre|flux de travail",
        "步骤|步驟|流程|工作流|操作指南|手順|ステップ|ワークフロー|進め方|"
        "단계|절차|워크플로|순서|진행 ?방법",
    ),
)
_RULES = tuple(
    (kind, re.compile(rf"(?<![^\W_])(?:{latin})(?![^\W_])|{anywhere}"))
    for kind, latin, anywhere in _WORDS
)
