"""The words that negate, that negate nothing, that end a clause, and that make a question or a reported wish."""

from __future__ import annotations

import re

_A, _Z = r"(?<![a-z])", r"(?![a-z])"

# What holds a negation word and negates nothing.
_IDLE_EN = (
    r"not only|not just|not to mention|not a problem|no problem|no doubt|no worries|no matter|no wonder|why not|or not|if not|"
    r"(?:no|not) (?:more|less|later|fewer|longer|earlier|sooner|higher|lower) than|without (?:a )?doubt|without question|"
    r"(?:don't|do not) (?:worry|hesitate|forget)|(?:can't|cannot) wait"
)
_IDLE_ZH = (
    "不仅|不但|不光|不只|不止|不单|不过|不论|不管|无论|没问题|没关系|没事|没错|没准|不客气|不好意思|对不起|差不多|"
    "不如|(?<![来赶等])不及(?![格时])|不用担心|不必担心|别担心|请勿担心|毫无疑问|无疑|无门槛|无条件|无绳|无叶|无刷|无痕|无尘|无油|无骨|无人机|无袖|无比|无数|无限|无添加|无酒精|无理由|无忧|无缝|无线|无糖|无锡|不锈钢|不断|不同|不久|不错|不妨|不限|"
    "不得不|不由得|不然|不超过|不低于|不高于|不少于|不多于|不大于|不小于|不迟于|不晚于|不足为奇|不贵|不粘|不沾|不愧|不停|"
    "(?:实在|要是|如果|再)不行|不[行成](?=再|就|的话)|行不行|好不好|"
    "要不(?=我|您|你|就|给|先)|非球面|非转基因|非遗|非常|除非|非凡|非洲|南非|无非|未来|特别|分别|区别|类别|级别|性别|识别|个别|告别|别人|别的|别墅|别名"
)
IDLE = rf"{_A}(?:{_IDLE_EN}){_Z}|{_IDLE_ZH}|{_A}no\. ?(?=[0-9#])"

_NOT = (
    r"[a-z]{1,8}n't|cannot|not|never|unable|impossible|unlikely|fails? to|failed to|refuses? to|"
    r"none|nothing|nobody|no one|nowhere|cant|dont|wont|isnt|arent|doesnt|didnt|wasnt|couldnt|wouldnt"
)

# A negation, and how far it reaches: words (English) or characters (Chinese) before a phrase, and before a number.
NOUN_REACH = 3
NEGATIONS: tuple[tuple[str, int, int], ...] = (
    (rf"{_A}(?:{_NOT}){_Z}", 7, 4),
    (rf"{_A}(?:instead of|rather than|no|without|neither|nor|hardly|anything but|non(?=-)){_Z}", NOUN_REACH, NOUN_REACH),
    ("不含|不包含|不包括|不计|不算", 6, 1),
    ("没有|没(?!法)|无(?!法)|与其(?![他它余中实所同次])", 8, 3),
    ("无法|没法|不|非|未|别|勿", 12, 6),
)
NEGATION = re.compile("|".join([f"(?P<idle>{IDLE})", *(f"(?P<n{i}>{words})" for i, (words, _, _) in enumerate(NEGATIONS))]))

_WRONG = (
    r"right|correct|possible|available|offered|allowed|supported|an option|true|in stock|permitted|included|covered|eligible|"
    r"applicable|valid|provided|guaranteed|(?:the|your) (?:right|correct|answer|one|case|price|total|final|sum|amount)"
)
_END_ZH = r"(?=\Z|[\n.,;!。])"

# With "no coupon" or "without it", what a subject says next is no longer meant; nor is the price of 不用券599元.
SUBJECT = re.compile(rf"{_A}(?:you|we|they|i|it|it's|you'll|we'll){_Z}")
CONDITION = re.compile("券|优惠|折扣|红包|会员|运费|税|满减")

# Said after a phrase, this takes it back.
TAKEN_BACK = re.compile(
    r"[\"')\]]{0,4} ?(?:"
    r"(?:(?:is|are|was|were|will be|would be)(?: [a-z]{1,12})? ?(?:not|no longer|never)|(?:is|are|was|were|wo|would)n't(?: be)?)"
    rf" (?:[a-z]{{1,12}} )?(?:{_WRONG}){_Z}"
    rf"|(?:is|are) (?:(?:currently|now|already|also|temporarily|unfortunately) )?"
    rf"(?:wrong|incorrect|impossible|unavailable|out of stock|sold out){_Z}"
    rf"|(?:是|都|也|还|暂时|目前)?(?:已经|已)?(?:不了|不行|不成|不对(?![称应劲])|不可能|是错的|错误|没货|没有现货|缺货|卖完了(?!又|再)|售罄|装不上|不适用于|"
    rf"(?:不可以|不能|没有){_END_ZH})"
    r"|(?:的?(?:这种|这个|那个)?(?:说法|传言|消息|信息|情况))?(?:是|都是|属于|纯属|属|就是)(?:一?[个种])?(?:错误?的|误传|误会|误解|谣言|谣传|假的|假消息|不实|不准确|过去的|以前的|旧的)"
    r"|的?(?:这种|这个)?(?:说法|传言|消息)(?:并?不[对准实]|有误|错误?了|已?过时))"
)

_JOINTS_EN = (
    "and|(?<!anything )but|however|so|because|since|though|although|while|whereas|then|therefore|thus|instead(?! of)|"
    "when|which|who|until"
)
_ASKING = (
    "ask",
    "asked",
    "asking",
    "check",
    "see",
    "know",
    "confirm",
    "verify",
    "sure",
    "wonder",
    "wondering",
    "out",
    "you",
    "unclear",
)
# "if" begins a clause of its own, but not in "let me check if".
_IF = "".join(f"(?<!{word} )" for word in _ASKING) + "if"
_JOINTS_ZH = (
    "但是|但|不过|而是|才|然而|可是|而且|并且|所以|因此|因为|如果|就|也|券后|到手|实付|合计|总计|最终|应付|仍需|还需|只需|需付"
)
BOUND = re.compile(
    r"(?P<stop>[!?;。|\n]+|(?<![a-z0-9])\.|\.(?![a-z0-9]))"
    r"|(?P<open>[(\[])|(?P<close>[)\]])"
    r"|、|,(?![0-9])|(?<![0-9]),|:(?![0-9])|(?<![0-9]):| -+(?= )"
    rf"|{_A}(?:{_JOINTS_EN}|{_IF}){_Z}|{_JOINTS_ZH}"
)

OPENING = re.compile(
    r"\W{0,5}(?:(?:so|also|then|ok|okay|well|hi|hello),? )?"
    r"(?:(?:do|does|did|is|are|was|were|can|could|would|will|should|shall|may|have|has"
    r"|what|which|who|how|when|where|why)(?![a-z])|请问|是否|能否|是不是|能不能|要不要|您是)"
)
WISH = re.compile(
    rf"{_A}(?:whether|(?:{'|'.join(_ASKING)}) if"
    rf"|your (?:question|request|wish)){_Z}"
    r"|\A\W{0,3}(?:i see |i understand |i know |as |that ){0,2}you(?:'d|'ve|'re| have| had| would| are| were)? ?"
    r"(?:just |also |originally )?"
    rf"(?:(?<=d )like|asked|asking|wanted|want|hoping|hoped|wished|wish|wondered|wondering|requested|inquired|like to know"
    rf"|mentioned|said){_Z}"
    "|是否|能否|可否|会否|有无|能不能|可不可以|可以不可以|是不是|会不会|有没有|要不要|行不行|好不好|支不支持"
    "|[您你](?:刚才|刚刚|之前|是)?(?:想?问|询问|咨询|想知道|想了解|想确认|希望|提到|说)(?![的得])"
)
ASKED = re.compile(r"(?:吗|[行好成]不[行好成]|可不可以)[\"')\]~ ]{0,4}\Z")

# What is hoped or waited for (before a result), feared or mistaken (before a denial), or still to come, is not said to be so.
RESULT = re.compile(
    rf"成功|完成|完毕|到账|通过|解决|恢复|补货|到货|已|了\Z|{_A}[a-z]+(?:ed|en|sent|paid){_Z}|{_A}(?:sent|paid|done|made){_Z}"
)
_WAIT_ZH = r"(?<![相平优均中高初同何品])等(?!等|级|于|同|[,、。])到?"
HOPED = re.compile(
    rf"(?:希望|期待|盼望?|但愿|祝愿?|预祝|等待|静待|静候|坐等|力争|争取|尽量|{_WAIT_ZH})[^,。;!?\n]{{0,10}}?\Z"
    rf"|{_A}(?:hope|hopes|hoping|hopefully|wish|(?:waiting|wait|waits) (?:for|until|till)|until|once|as soon as|in case)(?: [a-z']+){{0,6}}? \Z"
)
ENDS_HOPE = re.compile(rf"[您我](?!的)|就|并|便|会|将|再|{_A}(?:i|we|will){_Z}")
FEARED = re.compile(r"(?:担心|顾虑|害怕|(?<![恐只])怕(?!是)|以为|误以为|生怕|误会)(?:的?是)?[^,。;!?\n]{0,6}?\Z")
DENIAL = re.compile("不|没|无|未")
_NEXT_ZH = "会|将|再|才|就|即|便|请|可|方|通知|联系|告知|自动"
TO_COME = re.compile(
    "[之以]?前(?:$|[,、]|请|勿|不|先|您|我|都|还|千万|需)"
    f"|[之以]?后(?!已|了)[,、]? ?(?:我们?|系统|您|平台|商家|客服)?(?:{_NEXT_ZH})|(?:的话|时)(?:会|将|再|才|请|我)"
)

# Said right before an option, this only compares with it; so do the words that name two to choose from.
_PRICE = r"[$€£¥]?[0-9][0-9.,]*(?: [a-z]{3,7})? (?:for|at|of|on|with)"
_BEATS = "outshines?|outperforms?|beats?"
COMPARED = re.compile(
    rf"(?:{_A}(?:{_BEATS}|than|unlike|over|(?:versus|vs\.?|compared (?:to|with)|as opposed to|against)(?: {_PRICE})?) (?:the |both (?:the )?)?"
    rf"|{_A}as (?!well|soon|long|far|much|if|for)[a-z]+(?: [a-z]+){{0,2}} as (?:the )?"
    r"|(?<![价对])比|相比|相比于|相较于|相较|相对|相对于|较之|比起|(?:[高低优轻小大少多快强好早短长慢重贵窄宽薄厚亮]|[优逊次]色|不亚|不逊)于)[\"']? ?\Z"
)
# … and so does what is said right behind it: 是A的2.25倍.
MEASURED = re.compile(
    r"[\"']? ?的 ?(?:[0-9][0-9.]*|[一二两三四五六七八九十半几]+(?:点[一二三四五六七八九五])?) ?(?:多 ?)?(?:倍|分之|成)|[\"']? ?的一半"
)

# A没有B亮, "A is not as bright as B": the second is the better one, and the first only compared with it.
_BETTER = "[这那]么|那样|亮|轻|好|大|小|快|便宜|划算|实惠|耐|省|强|稳|结实|长|高|宽|多|厚|薄|暖|软|静|安静|合适|适合|远|清晰|方便|实用|准|新|久|香|舒服"
_NOT_UP_TO = r"不如|(?<![来赶等])不及|比不[上过了]|赶不上|逊于|逊色于|次于|差于|弱于|慢于"
WORSE_ZH = re.compile(rf"[^,。;!?、\n]{{0,8}}?(?:{_NOT_UP_TO}|(?P<lacks>没有?))[\"' ]{{0,2}}")
WORSE_THAN_ZH = re.compile(r"[^,。;!?、\n]{0,8}?(?<![价对])比[\"' ]{0,2}")
BETTER_BEHIND = re.compile(rf"[\"' ]{{0,2}}(?:的?[^,。;!?、\n的]{{0,4}}?)??(?:{_BETTER})")
WORSE_BEHIND = re.compile("[\"' ]{0,2}(?:[^,。;!?、\n不]{0,4}?)??(?:暗|差|弱|慢|逊色|糟|不好|费电)")
_LESS = "dimmer|weaker|worse|slower|poorer|flimsier|inferior|less (?!expensive|costly|heavy|noisy|pricey|bulky|loud)[a-z]+"
_IS_NOT = "(?:is|are|was|were|will be|has|have|does|do|looks|gives)(?:n't| not)|'s not"
WORSE_EN = re.compile(
    rf" ?(?:{_IS_NOT}) (?:[a-z]+ ){{0,2}}(?:as|so) [a-z -]{{2,30}} as (?:(?:the|a|an) )?"
    r"| ?(?:can't|cannot|can not|doesn't|does not) (?:match|beat|rival|keep up with|compare (?:to|with)) (?:(?:the|a|an) )?"
    rf"|(?: [a-z']+){{1,3}}? (?:{_LESS}) (?:than|to) (?:(?:the|a|an) )?"
)
BETWEEN = re.compile(rf"{_A}(?:between|comparing) [^.!?;:,\n]{{1,150}},|在[^。!?;,\n]{{1,60}}(?:之间|当中|中)")

# 与A相比: what stands before the option and what behind it. 和 joins what is before it as well, and so begins the clause.
WITH = re.compile(r"(?:[与跟同]|(?:\A|[,。;:!?\n]) ?和)[\"']? ?\Z")
WITH_LAST = re.compile(r"[与跟同和][\"']? ?\Z")
_ASIDE = r"[\"']?(?: ?\([^()\n]{0,60}\))?[\"']?"
_UNLIKE = "(?:有所|完全|略有)?不同|不一样|有别|(?:差不多|一样|同样|相同|类似)(?=[的轻亮大好便重])"
ALONGSIDE = re.compile(rf"{_ASIDE} ?(?:的[^,。;!?、\n]{{1,12}}?)?(?:相比|比起来|比较起来|对比|比(?=,)|{_UNLIKE})")

# What joins the options of a list; a comma only does where the sentence says something of all of them.
_JOINT = rf"{_ASIDE} ?(?:[、和与及跟或]|以及|还有|,? ?(?:and|or|as well as) (?:the )?"
LISTED = re.compile(rf"{_JOINT})[\"']? ?")
LISTED_ALL = re.compile(rf"{_JOINT}|, (?:the )?)[\"']? ?")
LISTED_ON = re.compile(rf"{_ASIDE} (?:is|are|has|have|costs?|comes?|offers?|would|will|can|fits?|weighs?|wins?){_Z}")

# What rules an option out, said of it right behind its name, or of "it" later in the sentence.
_HOW = (
    r"(?:(?:currently|unfortunately|sadly|now|already|also|both|just|all|still|completely|presently|temporarily|however|though),? )"
    r"{0,3}"
)
_TOO_EN = "expensive|heavy|big|small|large|dear|weak|slow|short|long|wide|dim|late|pricey|costly"
_GONE = (
    r"out of stock|sold out|unavailable|discontinued|incompatible|no longer (?:available|in stock|sold|made)|"
    r"not (?:currently |yet )?(?:available|in stock|suitable|compatible|recommended|an option)|"
    rf"too (?:{_TOO_EN})|(?:over|above|beyond|outside) (?:your|the) (?:budget|limit)"
)
_TOO_LATE = "(?:would |will )?(?:arrives?|comes?|gets there) (?:far |much |a bit )?too late"
_FAILS = r"(?:does|do|will|would)(?:n't| not)|won't"
_OUT_EN = (
    rf"(?:(?:is|are|'s|'re|would be|will be|seems|looks) {_HOW}(?:{_GONE})"
    rf"|(?:is|are)n't {_HOW}(?:available|in stock|suitable|compatible|recommended|an option)"
    rf"|(?:{_FAILS}) (?:quite )?(?:fit|match|work|meet|qualify|suit)|exceeds? (?:your|the) (?:budget|limit)"
    rf"|(?:{_FAILS}|can't|cannot) (?:come in|be had in|arrive|get there|make it|ship to|deliver)"
    rf"|(?:misses|fails) (?:your|the) [a-z]+|is ruled out|falls short|{_TOO_LATE}){_Z}"
)
_BUT = r"(?:[,(]|(?<![a-z])(?:but|however|though|although|because|since|as|and|so)),? ?"
_NOT_BY_ME = r"i (?:can't|cannot|can not|won't|wouldn't|don't|do not) (?:recommend|suggest|offer)(?! [a-z ]{0,15}enough)"
_POOR = r"but (?:it )?only (?:gives|delivers|offers|provides|supports|reaches|manages|outputs) [0-9]"

_SO = (
    "(?:也|都|已经|已|均|现在|现|目前|暂时|刚刚|刚|全部|就|却|同样|确实|实在|因为|由于|其实|可惜|恐怕|所以|因此|但是|但|不过|可是|而|"
    "先|则|并|真的|可以|对[您你](?:来说|而言)|您|你|那|可能|估计|这次|这里|这款|该款|它|我们|我|很抱歉|抱歉|遗憾| |,){0,6}"
)
_NOT_IF = "(?!了?(?:就|再|又|即|之?前|之?后|的话|可以?[退换]|包[退换]|为止|[吗么]))"
_STOP = r"(?=[,。;!)了]|\Z)"
_OUT_ZH = (
    r"(?:不(?:太|再|做|作)?(?:推荐|建议)(?=[您你]?(?:选|买|购|考虑|入手|下单|拍|这|它|[了啦哦呢]|给|\Z|[,.。;!、)]))"
    rf"|(?:不|先不|暂不|不予)考虑(?=了|它|这|[,。;!、)]|\Z)|不值得?{_STOP}|不值得[买选入]|没有?必要(?!的话)|(?:别|不用|不必|无需|不要)再?(?:买|选|看|考虑|入手)(?=[了啦它]|[,。;!)]|\Z)|不划算|不是首选|(?:排除|淘汰|略过|放弃){_STOP}"
    r"|不在(?:[您你]的)?(?:预算|要求|范围|考虑)(?:之|范围|以)?[内里]?|(?:不如|没有|比不上)(?:它|前者|后者|这款|那款)"
    rf"|不[给为向跟][您你](?:推荐|建议)|(?:超出|超过|超|高出|高于)了?(?:[您你]的)?预算|不(?:符合|满足){_NOT_IF}"
    rf"|库存不足|(?:卖完|卖光|售罄|售完|抢光|断货|缺货|没货|无货|下架|(?:没有|没|暂?无)(?:现货|库存|货(?!到))){_NOT_IF})"
)
_TOO_ZH = "贵|重|大|小|慢|长|高|暗|短|弱|薄|厚|窄|宽|吵|旧|晚|远|占地方|笨重"
_LATE = "来不及|赶不[上及]|等不[及了]|送不[到了达]"
_LATE_ZH = rf"(?:{_LATE}|(?:时间|时效)[上也]?不够(?!的话)|不够时间)(?!了?(?:吗|么|的话|就|再|可以))"
_OF_IT = "时间|时效|尺寸|亮度|容量|重量|续航|空间|功率|预算|颜色|规格|材质|款式|人数|价格|配置|大小"
_MISSES = "不够|不太?(?:符合|满足|合)(?:[您你]的?)?(?:要求|条件|需求|预算)?|不达标|不对|对不上|超标"
_UNFIT_ZH = (
    rf"(?:不(?:是|算)?(?:太|大|很|怎么|特别)?(?:适用|适合|兼容|匹配|合适|对口|搭)|[装用配穿塞放戴]不[上了下]|{_LATE}|太(?:{_TOO_ZH})(?!的话|[牌方气])"
    rf"|的?(?:{_OF_IT})?[上也都]?(?:{_MISSES}){_STOP}){_NOT_IF}"
)
RULED_OUT = re.compile(
    rf"{_ASIDE}(?: (?:at|for) [$€£¥]?[0-9][0-9.,]*)?(?:, which)?"
    rf"(?:(?:,|:| -)? ?{_HOW}{_OUT_EN}|(?::| -) {_HOW}(?:{_GONE}){_Z}|(?:,|:| -)? ?{_SO}(?:{_OUT_ZH}|{_UNFIT_ZH}))"
)
RULED_OUT_LATER = re.compile(
    rf"{_BUT}{_HOW}(?:(?:it|this one|that one|they) ?{_OUT_EN}|{_NOT_BY_ME})|{_A}{_POOR}"
    rf"|(?:[,、)]|但|不过|可惜|所以|因此){_SO}(?:{_OUT_ZH}|{_LATE_ZH})|, ?都{_UNFIT_ZH}"
    rf"|(?:但是?|不过|可惜|可是?|就是)[^,。;!?\n\0]{{0,8}}?{_LATE_ZH}|{_A}but (?:{_TOO_LATE})|(?:但是?|不过|可惜|可是|却|它|这款){_SO}{_UNFIT_ZH}"
)
# This speaks against an option too, but rules it out only where another one is named and stays. To be without a fault is good.
_FAULTS = "noisy|loud|bad|heavy|expensive|pricey|costly|dear|bulky|slow|hot|fragile|dirty|leaky|flimsy|dim"
_FAULTS_HAD = "(?:(?:any|a|an|much|the) )?(?:fan|noise|issues?|problems?|flaws?|defects?|smell|fees?|charges?|catch)"
_FAULTS_ZH = "超|缺|断|异味|味道|噪|杂音|问题|瑕疵|门槛|限制|额外|任何|比|风扇|毒|甲醛|刺激|运费|色差|卡顿|毛病|副作用|添加"
_NOT_SO = rf"(?:is|are)(?:n't| not) (?!only|just|out|sold|too|over|more|less|{_FAULTS})"
_HAS_NOT = rf"(?:(?:does|do)(?:n't| not) (?:have|come|offer|support|include|reach)|lacks?|has no)(?! {_FAULTS_HAD})|comes? only in|only comes in"
_LACKS_ZH = (
    f"[并也可]?不是(?!最|不)|[也并]?没有(?!{_FAULTS_ZH})|没货|缺少|不带|不支持|不具备"
    "|偏[贵重大小]|有点[贵重大小]|[贵重](?:了|[出约]?[0-9])|更[贵重]"
)
SHORT = re.compile(rf"{_ASIDE},? ?(?:{_NOT_SO}|(?:{_HAS_NOT}){_Z}|的?[^,。;!?、\n]{{0,10}}?(?:{_LACKS_ZH}))")
SHORT_LATER = re.compile(
    rf"[,、]{_SO}{_UNFIT_ZH}|[,、] ?(?:但是?|可是?|可惜|不过|只是|然而)?它?[并也]?(?:不是[^,。;!?\n]{{1,10}}{_STOP}|没有(?!{_FAULTS_ZH}))"
    rf"|{_BUT}(?:it )?(?:{_NOT_SO}|(?:{_HAS_NOT}){_Z})|{_BUT}not (?!only|just|too|more|less|{_FAULTS})"
)
# What a list of options says of all of them.
OF_ALL = re.compile(rf"{_ASIDE} ?(?:也?都|均|(?:are|do|don't|were){_Z})")
# So does a conclusion at the end: A太小，B太贵，所以都不推荐. Options that are offered before it stay.
OF_ALL_BEFORE = re.compile("(?:(?:所以|因此)[^,。]{0,6}|, ?)都不(?!错|贵|重|便宜)")
# Said behind that, it rules nothing out after all.
AFTER_ALL = re.compile(
    rf"{_A}(?:but|still|though|yet|however),? (?:it|i|we|you)(?:(?!n't|{_A}(?:not|no|cannot){_Z})[^.!?;\n]){{0,30}}?"
    rf"{_A}(?:recommend|suggest|available|in stock|works?|fits?|back|go for|have it|buy|get it){_Z}"
    r"|(?:但|不过|可是|还是|仍|依然|依旧)(?:(?![不没无])[^。!?;\n]){0,15}?(?:推荐|建议|可以|适合|有货|值得|首选)"
)
# Right before an option, this rules it out.
REJECTED = re.compile(
    rf"(?:{_A}(?:skip|skipped|avoid|ruled? out|ruling out|leave out|left out|pass on|forget) (?:the )?|(?:排除|放弃|略过|淘汰|刷掉)[了掉]?)[\"']? ?\Z"
)
# An apology before an option, and what it lacks.
SORRY = re.compile(r"(?:抱歉|遗憾|可惜|不好意思)(?:的是)?[,!~]? ?(?:目前)?\Z")
LACKS = re.compile("(?:\\A|[,、] ?)(?:但|也)?没有")
OFFERED = re.compile(
    rf"推荐|建议|可以|喜欢|试|选|值得|{_A}(?:recommend|suggest|take|go for|get|choose|pick|buy|try|would be|is ideal|best){_Z}"
)
_ALL_DO = "works?|fits?|will do|match|meet|suit"
OFFERED_ALL = re.compile(
    rf"都(?:可以|推荐|行|不错|合适|适合|满足|符合|好)|{_A}(?:both|either|any|all)(?: of (?:them|these))? (?:\w+ )?(?:{_ALL_DO}){_Z}"
)
# Behind what is said later, this ends it before another option is named.
NEXT = re.compile(rf"[,、;.)]|{_A}(?:and|so|but|while){_Z}")

# The names of months, each before what it is shortened to.
_MONTHS = "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sept sep|october oct|november nov|december dec"
MONTHS = {name: at for at, names in enumerate(_MONTHS.split("|"), 1) for name in names.split()}
# Signs that a single Chinese numeral counts, beside those of units and currencies.
COUNTED = frozenset("元块圆口孔路档项单笔家种号折月")
