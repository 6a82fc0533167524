"""Words that carry little meaning, by language.

They are weighted down, never dropped: a query made only of them still finds something, and
a document keeps them. The lists also tell languages apart, so each holds the words that
short texts of that language are hardly written without.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

STOP_WORDS: Final = MappingProxyType(
    {
        language: frozenset(words.split())
        for language, words in {
            "english": """
                a about after again all also am an and any are as at be because been before
                being both but by can could did do does doing don done down each else every
                few for from further get gets give given got had has have having
                he help helps her here hers him his how however i if in into is it its itself
                just keep kind let lets like ll look make makes many may me might more most
                much must my myself need needs new no nor not now of off on once one only onto
                or other our ours out over own please put re really same say see shall she
                should so some someone something still such sure take tell than thanks that
                the their them then there these they thing things this those through to too
                try two under until up upon us use used user uses using ve very via want wants
                was way we well were what when where whether which while who whom whose why
                will with within without would yes yet you your yours yourself
                s t d m im ive dont doesnt didnt isnt cant wont id youre thats whats lets
            """,
            "german": """
                aber alle als also am an auch auf aus bei beim bin bis bitte da damit dann das
                dass dein dem den der des dich die dies diese dieser dieses dir doch du durch
                ein eine einem einen einer eines er es etwas euch für gegen gibt hab habe haben
                hat hatte hier ich ihr ihre ihm ihn im in ins ist ja jede jeder jetzt kann
                kein keine können könnte mal man mein meine meinen mich mir mit möchte muss nach
                nicht noch nun nur ob oder ohne schon sehr sein seine sich sie sind so soll
                über um und uns unser unter vom von vor wann warum was weil welche wenn wer
                werden wie will wir wird wo würde zu zum zur zwischen
            """,
            "french": """
                ai alors au aucun aussi autre aux avec avoir bien c ça car ce ceci cela ces cet
                cette chez comme comment d dans de des donc du elle en encore entre es est et
                été être eu eux fait faire faut ici il ils j je l la le les leur leurs lui m ma
                mais me même mes moi mon n ne nos notre nous on ont ou où par pas peut peux plus
                pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans se ses
                si son sont sous suis sur ta te tes toi ton tout tous très tu un une vers veux
                voici vos votre vous y
            """,
            "spanish": """
                a al algo alguna algún ante antes aquí así aunque bien cada como cómo con cual
                cuál cuando cuándo de del desde donde dónde dos el él ella ellos en entre era
                es esa ese eso esta está están estas este esto estos estoy fue ha hace hacer hacia
                han hasta hay la las le les lo los más me mi mis mucho muy nada ni no nos nosotros
                o otra otro para pero poder por porque puede puedo pues que qué quien quién quiero
                se según ser si sí sin sobre solo son soy su sus también tan te tengo tiene todo
                todos tu tus un una unas uno unos usa usar y ya yo
            """,
            "portuguese": """
                a ao aos aquela aquele as até com como da das de dela dele deles depois do dos e
                ela ele eles em entre era essa esse esta está este eu foi há isso isto já lhe mais
                mas me meu minha muito na não nas nem no nos nossa nosso num numa o os ou para
                pela pelo pelos por porque qual quando que quem quero se sem ser seu sua são só
                também tem tenho ter teu tua um uma umas uns você vocês
            """,
            "italian": """
                a agli ai al alla alle allo anche avere che chi ci come con così cosa cui da dal
                dalla degli dei del della delle dello di dove e è ed era essere fare gli ha hai
                hanno ho i il in io la le lei li lo loro lui ma me mi mia mio molto ne nei nel
                nella noi non nostro o ogni per perché più può quale quando quella quello questa
                questo qui se sei senza si sia sono sta su sua sul sulla suo ti tra tu tua tuo
                tutti tutto un una uno vi voglio voi
            """,
            "dutch": """
                aan al alle als bij ben bent dan dat de deze die dit doen door dus een en er
                geen had heb hebben heeft hem het hier hij hoe hun ik in is ja je jij jouw kan
                kun kunnen maar me meer met mij mijn moet na naar niet nog nu of om omdat ons onze
                ook op over te tot u uit uw van veel voor waar waarom wanneer want wat we weer wel
                welke werd wie wij wil worden wordt ze zelf zich zij zijn zo zonder zou
            """,
            "swedish": """
                alla allt än är att av bara bli blir de dem den denna deras dess det detta dig din
                du där efter ej ett en eller för från genom ha han har hon hur här i icke in inte
                jag kan kommer man med men mig min mitt mot mycket ni nu när och om oss på sedan
                sig sin sitt ska skall som så till under upp ut utan vad var vara varför vi vid
                vilken vill
            """,
            "russian": """
                а без более был была были было быть в вам вас весь во вот все всё вы где да для до
                его ее её если есть еще ещё же за здесь и из или им их к как какой когда кто ли
                мне меня мой мы на надо нас не нет ни но ну о об он она они от очень по под при
                с со так также такой там то того тоже только ты у уже хочу чем что чтобы эта эти
                это этот я
            """,
            "turkish": """
                acaba ama ben bir biri bu bunu çok da daha de defa değil diye en gibi hem hep her
                hiç için ile ise kim ki mi mu mü nasıl ne neden nerede o olan olarak şey siz şu
                tüm var ve veya ya yani
            """,
            "chinese": """
                的 了 是 在 我 有 和 就 不 人 都 一 上 也 很 到 说 要 去 你 会 着 没 看 好 自 这
                那 它 他 她 们 吗 呢 吧 啊 把 被 让 给 跟 与 及 或 但 请 想 怎 么 什 哪 谁 个 些
                下 里 中 来 能 可 以 为 对 用 做 帮 一下 一个 这个 那个 我们 你们 他们 什么 怎么
                如何 可以 需要 帮我 请帮 帮忙 给我 我要 我想 是否 没有 有没 不是 如果 因为 所以
                但是 还是 或者 以及 进行 使用 时候 的时 一些 這 個 們 嗎 來 說 會 沒 為 對 幫 給
                請 麼 這個 那個 我們 什麼 怎麼 可以 幫我
            """,
            "japanese": """
                の に は を た が で て と し れ さ ある いる も する から な こと として い や
                れる など なっ ない この ため その あっ よう また もの という あり まで られ なる
                へ か だ これ によって により おり より による ず なり られる において ば なかっ
                なく しかし について せ だっ その後 できる それ う ので なお のみ でき き つ
                における および です ます ください 下さい して ました ません たい さい くだ って
                てく まし ませ よう いた どう
            """,
            "korean": """
                이 가 을 를 은 는 에 의 도 로 으로 와 과 한 하다 하고 하는 해 해줘 해주 주세 세요
                좀 그 저 이거 그거 저거 것 수 등 및 더 다 고 나 내 너 우리 어떻 떻게 어떻게 무엇
                뭐 왜 어디 언제 누가 있는 있다 없는 없다 있어 에서 부터 까지 처럼 그리고 그런데
                하지만 또는 하면 해서 인지 줘 습니 니다 입니 합니 합니다 주세요
            """,
        }.items()
    }
)

ANY_STOP_WORD: Final = frozenset().union(*STOP_WORDS.values())
