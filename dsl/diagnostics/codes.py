"""Every diagnostic code: a constant, a stable id and a one-line title. Its page is `pages/ID.md`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of finding; ids that begin with E are errors, with W warnings."""

    id: str
    title: str


CODES: dict[str, Code] = {}


def _code(id: str, title: str) -> Code:
    CODES[id] = Code(id, title)
    return CODES[id]


# files and YAML
YAML_SYNTAX = _code("E0101", "the file is not well-formed YAML")
NOT_UTF8 = _code("E0102", "the file is not UTF-8 text")
TOO_LARGE = _code("E0103", "the file is too large")
TOO_DEEP = _code("E0104", "the file is nested too deeply")
DUPLICATE_KEY = _code("E0105", "a key stands twice in one mapping")
ANCHOR = _code("E0106", "an anchor or an alias")
TAG = _code("E0107", "a tag")
MERGE_KEY = _code("E0108", "a merge key")
KEY_NOT_TEXT = _code("E0109", "a key that is not text")
NOT_A_DOCUMENT = _code("E0110", "a document that is not a mapping")
TAB = _code("E0111", "a tab used as indentation")
UNREADABLE = _code("E0112", "a file that cannot be read")

# packages and documents
UNKNOWN_KEY = _code("E0201", "an unknown key")
MISSING_KEY = _code("E0202", "a missing key")
WRONG_SHAPE = _code("E0203", "a value of the wrong shape")
NOT_A_CHOICE = _code("E0204", "a value that is not one of the choices")
BAD_NAME = _code("E0205", "a name that is not spelt as names are")
UNKNOWN_KIND = _code("E0206", "an unknown kind of document")
DUPLICATE_DOCUMENT = _code("E0207", "two documents of one kind and name")
UNRESOLVED = _code("E0208", "a reference to a document that does not exist")
EXTENDS_CYCLE = _code("E0209", "documents that extend each other in a circle")
PACKAGE_MISSING = _code("E0210", "a required package that is not there")
PACKAGE_VERSION = _code("E0211", "a required package of another version")
LANGUAGE_VERSION = _code("E0212", "another version of the language")
OUT_OF_RANGE = _code("E0213", "a number out of its range")
BAD_TYPE = _code("E0214", "a type that is not spelt as types are")
FOREIGN_COMMAND = _code("E0215", "an agent that starts something, in a package that is not yours")

# expressions
SYNTAX = _code("E0301", "an expression that cannot be read")
UNKNOWN_NAME = _code("E0302", "an unknown name")
UNKNOWN_ATTRIBUTE = _code("E0303", "an unknown attribute")
UNKNOWN_FUNCTION = _code("E0304", "an unknown function")
ARGUMENTS = _code("E0305", "arguments that a function does not take")
OPERAND = _code("E0306", "an operator between types that do not go together")
EXPECTED_TYPE = _code("E0307", "an expression of another type than is needed here")
SPLIT_BY_YAML = _code("E0308", "an expression that YAML has split")
DRAWING = _code("E0309", "drawing where it is not allowed")
NOT_A_MEMBER = _code("E0310", "a text that is not a member of the enum it is compared with")
CURRENCY = _code("E0311", "money of two currencies")
MONEY_AND_NUMBER = _code("E0312", "money mixed with a bare number")
UNKNOWN_KEYWORD = _code("E0313", "an unknown keyword argument")
NOT_ITERABLE = _code("E0314", "something that cannot be walked through")
NOT_INDEXABLE = _code("E0315", "something that has no `[…]`")
CONDITION = _code("E0316", "a condition that is neither true nor false")
REGEX = _code("E0317", "a regular expression that cannot be read")
UNRELATED = _code("E0318", "a comparison that can never be true")
TOO_LONG = _code("E0319", "an expression that is too long or too deep")
PLACEHOLDER = _code("E0320", "a placeholder that is not closed")
UNKNOWN_ROW = _code("E0321", "a text that is not a row of the table")
HIDES_NAME = _code("E0322", "a name that hides another")

# programs and effects
PROGRAM_SYNTAX = _code("E0401", "a program that cannot be read")
UNKNOWN_BEAT = _code("E0402", "an unknown beat")
BEAT_OPERAND = _code("E0403", "a beat with an operand it does not take, or without one it needs")
BEAT_ORDER = _code("E0404", "a beat out of order")
TARGET_NOT_DUE = _code("E0405", "a target that does not fall due exactly once")
OVER_BUDGET = _code("E0406", "a plan that exceeds its turn budget")
NOT_LAST = _code("E0407", "the closing beat does not close")
EFFECT_SYNTAX = _code("E0408", "an effect that cannot be read")
NOT_A_PLACE = _code("E0409", "something that cannot be assigned to")

# cohorts and draws
DRAW_MISSING = _code("E0501", "a cohort that does not draw what it must")
DRAW_FAILED = _code("E0502", "a draw that failed")
WEIGHTS = _code("E0503", "weights that cannot be used")
FIELDS_DIFFER = _code("E0504", "rows with different fields")
TARGET_UNAVAILABLE = _code("E0505", "a target that the store cannot sell")
UNKNOWN_REVEAL = _code("E0506", "a drawn reveal plan that does not exist")

CASES_AND_DRAWS = _code("E0507", "a cohort that both draws trials and lists cases, or neither")
FIXTURE = _code("E0508", "a product of a case that cannot be made")
FORBID = _code("E0509", "a prohibition that looks at nothing, or at two things")
REFERENCE = _code("E0510", "a reference that does not answer every message")

# catalogs
TOO_FEW_VARIANTS = _code("E0601", "a type of product that cannot be varied enough")
INDISTINCT = _code("E0602", "two products that a customer cannot tell apart")
SHARES = _code("E0603", "shares that do not add up")
UNDECLARED_ATTRIBUTE = _code("E0604", "an attribute that the catalog does not declare")
DUPLICATE_TYPE = _code("E0605", "a type of product that stands in two parts")

# metrics, rubrics, tests
GROUP_WITHOUT_METRIC = _code("E0701", "a rubric that weighs a group without metrics")
RUBRIC_EMPTY = _code("E0702", "a rubric that names no metric")
NOT_FOR_COHORT = _code("E0703", "a metric that does not apply to the cohort")
TEST_REFERENCE = _code("E0704", "a test that names something it does not define")
COHORT_UNSCORED = _code("E0705", "a cohort of a suite without a rubric")

JUDGE = _code("E0706", "a judge that cannot answer")
ASK = _code("E0707", "a question that cannot be put to a judge")
REWRITE = _code("E0708", "a habit that changes nothing, or cannot")

# customers
PHRASE_MISSING = _code("E0801", "a beat without a phrase for every customer")
UNKNOWN_EVENT = _code("E0802", "a weight for an event that is not defined")
UNKNOWN_CHANGE = _code("E0803", "a change of text that does not exist")
DUTY = _code("E0804", "a duty that cannot be matched")

# records, promotions, cases
BAD_DATA = _code("E1001", "a record that does not fit its shape")
BAD_JSON = _code("E1002", "a data file that cannot be read")
DANGLING = _code("E1003", "a reference to a record that is not there")
EXPECTATION = _code("E1004", "an expectation that cannot be read")
EXPECTS_NOTHING = _code("E1005", "a case that expects nothing")
UNPROVED = _code("E1006", "a case whose own answer does not score full marks")
IDLE = _code("E1007", "a case that is passed by doing nothing")
SURVIVES = _code("E1008", "a case that does not notice a mistake")
LEAK = _code("E1009", "an answer that the agent can read beforehand")
TIE = _code("E1010", "a target that is not the only one")
PROMOTION = _code("E1011", "a promotion that cannot be applied")
HOST = _code("E1012", "an address outside of the sandbox")

# warnings
SHAPE_ONLY = _code("W0901", "a kind of document that this version checks for its shape only")
UNSCORED_METRIC = _code("W0902", "a metric in no rubric")
CONSTANT_METRIC = _code("W0903", "a metric whose value cannot vary")
UNUSED_LET = _code("W0904", "a name that nothing uses")
UNUSED_TABLE = _code("W0905", "a table that nothing reads")
UNASKED_JUDGE = _code("W0906", "a judge that no metric asks")
UNCOUNTED = _code("W0907", "an expectation that nothing counts")
VACUOUS = _code("W0908", "a success rule that counts what is not expected")
CALL_TO_NOTHING = _code("W0909", "a listed call that names a record that is not there")
NO_SUCH_ATTRIBUTE = _code("W0910", "a condition over an attribute or a value that no product has")
