"""What a heading announces, read from its words in seven languages."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from catalog.skill import SectionKind


# The same headings come again and again.
@lru_cache(maxsize=4_096)
def kind_of_heading(heading: str) -> SectionKind:
    """The first kind, in the order of `_RULES`, that a phrase of the heading speaks of.

    Latin phrases match whole words, Chinese, Japanese and Korean ones match anywhere.
    """
    is_ascii = heading.isascii()
    folded = heading.lower() if is_ascii else unicodedata.normalize("NFKC", heading).casefold()
    words = _WORD.findall(folded)[:_MOST_WORDS]
    found = [
        kind
        for start, word in enumerate(words)
        if word in _FIRST_WORDS
        for end in range(start + 1, min(start + _LONGEST_PHRASE, len(words)) + 1)
        if (kind := _PHRASES.get(" ".join(words[start:end])))
    ]
    if not is_ascii:
        found.extend(kind for kind, pattern in _ANYWHERE if pattern.search(folded))
    if len(words) == 1 and words[0] in ("reference", "resources"):
        found.append(SectionKind.REFERENCES)
    return min(found, key=_ORDER.__getitem__, default=SectionKind.OTHER)


_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_MOST_WORDS = 24
# "Common errors, with examples" is about failures, "Example steps" an example.
_RULES: dict[SectionKind, tuple[str, str]] = {
    SectionKind.FAILURE_MODES: (
        "failure mode, failure modes, failure, failures, troubleshooting, pitfall, pitfalls, "
        "gotcha, gotchas, common mistakes, common errors, common issues, common problems, "
        "known issues, known problems, error, errors, caveat, caveats, anti pattern, "
        "anti patterns, antipatterns, what can go wrong, when it fails, when things go wrong, "
        "fehler, fehlerfälle, fehlerbehebung, fehlerbehandlung, fehlersuche, problembehebung, "
        "fallstricke, "
        "fallo, fallos, errores, solución de problemas, resolución de problemas, "
        "échec, échecs, erreurs, modes de défaillance, défaillances, dépannage, piège, pièges",
        "故障|失败|失敗|排错|排查|常见错误|常见问题|错误处理|異常處理|异常处理|踩坑|避坑|陷阱|"
        "トラブル|よくある間違い|よくあるエラー|エラー|落とし穴|"
        "실패|문제 ?해결|오류|흔한 실수|함정",
    ),
    SectionKind.PRECONDITIONS: (
        "precondition, preconditions, prerequisite, prerequisites, pre requisites, prereqs, "
        "requirement, requirements, before you start, before you begin, before starting, "
        "voraussetzung, voraussetzungen, vorbedingung, vorbedingungen, anforderungen, "
        "requisitos, prerrequisitos, condiciones previas, precondiciones, antes de empezar, "
        "prérequis, pré requis, conditions préalables, préconditions, avant de commencer",
        "前提|先决条件|先決條件|前置|准备工作|準備工作|必要条件|事前準備|"
        "전제|사전 ?(?:조건|준비|요구)|선행 ?조건|요구 ?사항|준비 ?사항",
    ),
    SectionKind.EXAMPLES: (
        "example, examples, sample, samples, beispiel, beispiele, anwendungsbeispiele, "
        "ejemplo, ejemplos, exemple, exemples",
        "示例|例子|案例|范例|範例|样例|サンプル|使用例|実例|具体例|^例$|예시|예제|사용 ?예",
    ),
    SectionKind.REFERENCES: (
        "references, reference file, reference files, reference documents, reference docs, "
        "reference material, reference materials, reference links, further reading, see also, "
        "additional resources, external resources, related resources, bibliography, "
        "useful links, related links, links, "
        "referenzen, verweise, quellen, weiterführende literatur, weiterführende links, "
        "siehe auch, referencias, recursos, enlaces, bibliografía, véase también, "
        "références, ressources, liens, bibliographie, voir aussi",
        "参考|參考|相关链接|相關連結|相关资源|延伸阅读|リファレンス|関連資料|関連リンク|"
        "참고|참조|관련 ?(?:링크|자료|문서)",
    ),
    SectionKind.STEPS: (
        "step, steps, procedure, procedures, workflow, workflows, process, instruction, "
        "instructions, phase, phases, "
        "schritt, schritte, ablauf, vorgehen, vorgehensweise, arbeitsablauf, anleitung, "
        "arbeitsschritte, "
        "paso, pasos, procedimiento, procedimientos, flujo, flujo de trabajo, instrucciones, "
        "étape, étapes, procédure, procédures, déroulement, marche à suivre, flux de travail",
        "步骤|步驟|流程|工作流|操作指南|手順|ステップ|ワークフロー|進め方|"
        "단계|절차|워크플로|순서|진행 ?방법",
    ),
}
_ORDER = {kind: order for order, kind in enumerate(_RULES)}
_PHRASES = {phrase: kind for kind, (phrases, _) in _RULES.items() for phrase in phrases.split(", ")}
_FIRST_WORDS = frozenset(phrase.split()[0] for phrase in _PHRASES)
_LONGEST_PHRASE = max(len(phrase.split()) for phrase in _PHRASES)
_ANYWHERE = tuple((kind, re.compile(pattern)) for kind, (_, pattern) in _RULES.items())
