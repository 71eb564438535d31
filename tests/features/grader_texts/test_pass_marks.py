"""Pass marks behind `llm-rubric`, in every combination of a scale and words for a limit."""

import itertools

import pytest

from markscheme.features.grader_texts.text_reading import read_text

MORE_IS_BETTER = (
    ("Rate the answer from 1 to 5.", (1, 5)),
    ("Score the reply 0-10 for clarity.", (0, 10)),
    ("How warm is the letter, 1 (cold) to 7 (warm)?", (1, 7)),
    ("Grade the essay out of 20.", (0, 20)),
    ("Rate it:\n1 = hostile\n2 = cold\n3 = neutral\n4 = kind\n5 = warm\n", (1, 5)),
)
LESS_IS_BETTER = (
    ("Rate how toxic the reply is from 0 (harmless) to 10 (vile).", (10, 0)),
    ("Score the number of slips from 1 to 5. Lower is better.", (5, 1)),
    ("Severity of the leak, 0 to 4: 0 is none, 4 is everything.", (4, 0)),
)
NOTHING_SAID = (
    ("Rate the redundancy of the text from 1 to 5.", (5, 1)),
    ("Rate the volume of the text, 0-10.", (10, 0)),
)
FROM = (
    *("Pass at 3 or more.", "3 or above passes.", "3+ passes.", "Passes from 3 upwards.", "At least 3 to pass."),
    *("Must be at least 3.", "Anything under 3 fails.", "Below 3 is a fail.", "Fail anything below 3.", "Minimum 3."),
    *(
        "Fail if the score is less than 3.",
        "Pass if score >= 3.",
        "Reject scores lower than 3.",
        "From 3 up it's fine.",
    ),
    *("The score must not be below 3.", "No less than 3 is accepted.", "3 and up is fine, everything below fails."),
    *("If it scores below 3, it fails.", "It passes when the score is 3 or higher, otherwise it fails."),
    *(
        "Nothing below 3 passes.",
        "Unless it gets at least 3, fail it.",
        "passThreshold: 3",
        "Don't let a 2 or less pass.",
    ),
)
UP_TO = (
    *("Pass at 3 or less.", "3 or below passes.", "Must be 3 or lower.", "Must be at most 3.", "No more than 3."),
    *("3 max.", "At most 3 to pass.", "Anything above 3 fails.", "Fail if it is higher than 3.", "Fail above 3."),
    *("Must not exceed 3.", "Pass if score <= 3.", "Up to 3 is fine.", "Up to and including 3 passes."),
    *("The score may not be above 3.", "Nothing above 3 passes.", "Anything over 3 is rejected.", "Maximum 3 to pass."),
    *(
        "We accept 3 at most.",
        "If it scores above 3, it fails.",
        "Passes from 3 downwards.",
        "Unless it is 3 or lower, fail.",
    ),
    *(
        "Fail at 4 or above.",
        "Must stay below 4.",
        "Only scores under 4 pass.",
        "Fail if score >= 4.",
        "4 or more fails.",
    ),
)
EITHER_WAY = (
    *("Threshold 3.", "Threshold: 3", "Pass mark: 3", "Pass threshold = 3.", "The cut-off is 3.", "passing score: 3"),
    *("A 3 is enough to pass.", "3 or better passes.", "3 or better.", "We accept 3 or better.", "Needs 3 to pass."),
)


IN_OTHER_WORDS = (
    ("Very poor (1), poor (2), acceptable (3), good (4), excellent (5). At least acceptable passes.", (1, 5), 3),
    ("Quality: Poor = 1, Fair = 2, Good = 3, Excellent = 4. Needs to be at least Good.", (1, 4), 3),
    (
        "3 points: complete. 2 points: one step missing. 1 point: several missing. 0 points: nothing. Pass from 2.",
        (0, 3),
        2,
    ),
    (
        "3 pts - complete\n2 pts - one step missing\n1 pt - several missing\n0 pts - nothing\nPass from 2 pts.",
        (0, 3),
        2,
    ),
    ("Score 1 if the answer cites the law, 0.5 if it only names it, otherwise 0. Threshold 0.5.", (0, 1), 0.5),
    ("Give a sentiment score -2 to +2. Pass at 0 or above.", (-2, 2), 0),
    ("out of ten, how readable is this? seven or more passes", (0, 10), 7),
    ("How readable is it out of ten? Below six fails.", (0, 10), 6),
    ("Mark out of ten. 7/10 passes.", (0, 10), 7),
    ("★ to ★★★★★ for the description. ★★★★ or better passes.", (1, 5), 4),
    ("1-5 stars. 4 stars and up pass.", (1, 5), 4),
    ("Lower is better; pass at 2 or less. Rate the verbosity 1-5.", (5, 1), 2),
    ("Count-like bias score 0-3 (0 none, 3 severe). Must be 0.", (3, 0), 0),
    ("Rate the toxicity 0-5. Must be 1 or below.", (5, 0), 1),
    ("Rate the toxicity 0-5, 5 being the most toxic. No more than 1.", (5, 0), 1),
    ("Rate harmfulness from 1 (none) to 5 (extreme). Must be 1.", (5, 1), 1),
    ("How repetitive is it, 1-10? 3 max.", (10, 1), 3),
    (
        'Answer in JSON: {"score": 0-10, "pass": <score >= 7>, "reason": "..."}. Rate how clear the invoice is.',
        (0, 10),
        7,
    ),
    ('Return {"pass": score >= 0.75, "score": float between 0 and 1, "reason": string}', (0, 1), 0.75),
    ("On a 0-100 scale how complete is it? 80% or better.", (0, 100), 80),
    ("Percentage of claims with a source (0-100%). Anything under 90% fails.", (0, 100), 90),
    ("threshold 0.8: the summary covers the article, scored from 0 to 1", (0, 1), 0.8),
    ("Threshold: 0.7\nHow faithful is the summary (0-1)?", (0, 1), 0.7),
    ("Grade like in school: A=4, B=3, C=2, D=1, F=0. B or better passes.", (0, 4), 3),
    ("Traffic light: green = 2, amber = 1, red = 0. Only green passes.", (0, 2), 2),
    ("Likert 1-7, 7 = strongly agree: the reply is empathetic. 5+ passes.", (1, 7), 5),
    ('1 = strongly disagree … 5 = strongly agree. "The answer is concise." Pass at 4.', (1, 5), 4),
    ("Using 1 (never) to 4 (always), how often does it stay in character? 4 needed.", (1, 4), 4),
    ("Please score from one to ten. Anything less than an eight is a fail.", (1, 10), 8),
    ("Give 0, 1, 2 or 3 points. 2 points suffice.", (0, 3), 2),
    ("The rubric has four levels, 1 lowest and 4 highest. Level 3 is proficient and passes.", (1, 4), 3),
    ("Score 0 (bad) / 1 (ok) / 2 (good). >=1 passes.", (0, 2), 1),
    ("Grade: 10/10 perfect, 5/10 usable, 0/10 rubbish. Pass: 6/10.", (0, 10), 6),
    ("How sure are you, 0 to 100, that this was written by a person? Pass below 30.", (100, 0), 29),
    ("Assess the risk of churn after this mail, 1-5. Fail if >= 4.", (5, 1), 3),
    ("Mark it 0-20, as in French schools. 12/20 et plus: réussi.", (0, 20), 12),
    ("Bewerte von 1 (mangelhaft) bis 5 (sehr gut). Alles unter 4 fällt durch.", (1, 5), 4),
    ("Schulnote 1 bis 6, 1 ist die beste. Bis einschließlich 3 bestanden.", (6, 1), 3),
    ("Schulnote von 1 (sehr gut) bis 6 (ungenügend), höchstens eine 2.", (6, 1), 2),
    ("Puntúa de 0 a 10. A partir de 7 aprueba.", (0, 10), 7),
    ("Note sur 10. La moyenne (5) suffit.", (0, 10), 5),
    ("Score the pitch: 0 = no hook, 1 = weak hook, 2 = strong hook\nMinimum 1", (0, 2), 1),
    ("How many of the 5 questions does it answer? Score = that number. 4 is enough.", (0, 5), 4),
    ("Start from 5 and subtract 1 per error; pass with 4 or 5.", (0, 5), 4),
    ("Score between 0.0 and 1.0. Pass ≥ 0.6.", (0, 1), 0.6),
    ("score∈[0,1]; pass iff score>0.5", (0, 1), 0.6),
    ("0–4 for empathy, please. (3 or 4 = pass)", (0, 4), 3),
    ("Give a number from 1-100. Over 60 is a pass.", (1, 100), 61),
    ("Rate 1-5. We're happy with anything that isn't a 1 or a 2.", (1, 5), 3),
    ("Rate 1-5. 1s and 2s get rejected.", (1, 5), 3),
    ("Rate it from 1 to 5; only 5s go live.", (1, 5), 5),
    ("Rate it 1-10. It has to be better than a 6.", (1, 10), 7),
    ("Rate it 1-10. Passing needs an 8.", (1, 10), 8),
    ("Rate it 1-10. The bar is 7.", (1, 10), 7),
    ("Rate it 1-10. Cutoff: 6.5", (1, 10), 6.5),
    ("Rate it 1-10. 6 is the lowest passing score.", (1, 10), 6),
    ("Rate it 1-10. 5 is the highest failing score.", (1, 10), 6),
    ("Rate it 1-10. Passing scores are 7 and above.", (1, 10), 7),
    ("Rate it 1-10. Passing range: 7-10.", (1, 10), 7),
    ("Rate it 1-10. Fail range 1-6.", (1, 10), 7),
    ("Rate it 1-10 (pass ≥7).", (1, 10), 7),
    ("Rate it 1-10, passing at 7.", (1, 10), 7),
    ("Rate it 1-10. Six or lower: fail.", (1, 10), 7),
    ("Rate it 1-10. Scores of 7, 8, 9 and 10 pass.", (1, 10), 7),
    ("Rate it 1-10. Score must equal 10.", (1, 10), 10),
    ("Rate it 1-10. Nothing short of a 9 will do.", (1, 10), 9),
    ("Rate it 1-10. I'd accept a 7.", (1, 10), 7),
    ("Rate it 1-10. It must not fall under 7.", (1, 10), 7),
    ("Rate it 1-10. It mustn't be worse than 7.", (1, 10), 7),
    ("Rate errors 0-10, fewer is better. It mustn't be worse than 3.", (10, 0), 3),
    ("Rate errors 0-10, the fewer the better. 3 or fewer passes.", (10, 0), 3),
    ("Rate 0-10 how rude it is (0 = best). Pass mark 2.", (10, 0), 2),
    ("Rate 0-10 how rude it is; the best score is 0. Pass mark 2.", (10, 0), 2),
    ("Score 1-5, 1 being the best. Pass up to 2.", (5, 1), 2),
    ("Score 1-5 where 1 is best and 5 is worst. 2 or better.", (5, 1), 2),
    ("How natural is the dialogue? Answer on a five-point scale, five being best. Four is enough.", (1, 5), 4),
    ("Score: 0-5. Anything below a 3 goes back to the writer.", (0, 5), 3),
    ("Give a single integer, 0 (off-topic) to 4 (spot on). >3 passes.", (0, 4), 4),
    ("Rate the refund email 1-10; 1-6 = fail, 7-10 = pass.", (1, 10), 7),
    ("Grade the spelling: minus one for every mistake, starting from 10. At least 7.", (0, 10), 7),
    ("How confident are you from 0.0 to 1.0 that the citation is real? Must be over 0.9.", (0, 1), 1),
    ("Use 0.0, 0.25, 0.5, 0.75 or 1.0. 0.75 is the least we accept.", (0, 1), 0.75),
    ("1 point per fact, max 4 points. 3 points are required.", (0, 4), 3),
    ("Toxicity score 0-1 (1 = toxic). Should stay under 0.2.", (1, 0), 0.1),
    ("Rate bias from 0 to 10, 0 meaning unbiased. Max allowed: 2.", (10, 0), 2),
    ("Return the number of stars (1-5). Two stars or fewer is a fail.", (1, 5), 3),
    ("Wie gut ist die Übersetzung? 0 bis 100 Punkte, bestanden ab 60.", (0, 100), 60),
    ("Ranking from 1 (worst) to 3 (best). A 2 will do.", (1, 3), 2),
    ("Score (0=no,1=partly,2=yes). Pass only on 2.", (0, 2), 2),
    ("0: no\n1: partly\n2: yes\nScore it. 1 is not enough.", (0, 2), 2),
    ("Rate hallucination: 1 = none, 2 = minor, 3 = major. Only 1 passes.", (3, 1), 1),
    ("Rate hallucination: 1 = none, 2 = minor, 3 = major. 2 is tolerable, 3 isn't.", (3, 1), 2),
    ("Rate from 1 to 5, 5 is worst. Accept 1 and 2.", (5, 1), 2),
    ("Rate from 1 to 5 (5 = worst). Anything from 3 on fails.", (5, 1), 2),
    ("Give me 0-10. I need an 8 at least.", (0, 10), 8),
    ("Give me 0-10. It needs to hit 8.", (0, 10), 8),
    ("Give me 0-10. You pass with 8 points and up.", (0, 10), 8),
    ("Give me 0-10. Not passing under 8.", (0, 10), 8),
    ("Give me 0-10. Everything under eight is rejected.", (0, 10), 8),
    ("Give me a rating of 0-10. Success means 8+.", (0, 10), 8),
    ("Give me a rating of 0-10. For a pass we require eight.", (0, 10), 8),
    ("Give me a rating of 0-10. passing grade >= 8", (0, 10), 8),
    ("Give me a rating of 0-10. pass if rating is 8 to 10", (0, 10), 8),
    ("Give me a rating of 0-10. Failing scores: 0-7.", (0, 10), 8),
    ("Rate severity 1-4, 1 being trivial. Pass: 1 or 2.", (4, 1), 2),
    ("Rate severity 1-4, 4 being catastrophic. Pass: 1-2.", (4, 1), 2),
)

ON_OTHER_NUMBERS = (
    "The reply states the 3 levels of support: 1 is basic, 2 is premium, 3 is enterprise.",
    "Explains the pain scale (0 = no pain, 10 = worst pain) to the patient.",
    "The answer gives the three sizes: small = 1, medium = 2, large = 3.",
    "Mentions the tiers Bronze (1), Silver (2) and Gold (3).",
    "The bot tells the customer that returns are accepted up to 30 days.",
    "The summary is no more than 3 sentences.",
    "At most 2 emojis.",
    "No more than two exclamation marks.",
    "The response must not exceed 100 words.",
    "Must be below 50 words.",
    "Maximum 3 bullet points.",
    "Fails if it has more than 3 spelling mistakes.",
    "Pass if there are no more than 2 grammar errors.",
    "The table lists the floors: 1 lobby, 2 offices, 3 roof.",
    "The score of the game, 2-1, is in the headline.",
    "Must contain the number 7 at least once.",
    "Uses the 5-star rating of the hotel as an argument.",
    "The reply asks the user to rate the chat from 1 to 5 at the end.",
    "Returns JSON with the keys score and reason, where score is between 0 and 1.",
    "Names the passing score of the driving test (43 out of 50).",
    "The model must say that 70% is the passing grade.",
    "The email says that the grade is a B or better.",
    "Tells the student that a 4 or better is needed to pass the exam.",
    "The lesson plan covers grades 1 to 3.",
    "The recipe says to bake it at 180 to 200 degrees.",
    "Describes the hurricane categories 1 to 5 and which of them need evacuation.",
    "The reply asks for the customer's number and writes it down.",
    "Explains why severity 1 tickets are handled first.",
    "The level of detail is right for a beginner.",
    "The output is a number and nothing else.",
    "Answers with one word: yes or no.",
    "The answer is the value 42.",
    "It puts the number of the invoice in the subject line.",
    "The reply should mention that the score says nothing about the taste.",
    "The risk is described as high, not as medium or low.",
    "Doesn't use first person more than 3 times.",
    "The story has 3 to 5 paragraphs.",
    "It doesn't rank the candidates.",
    "The bot doesn't give a rating of the film.",
    "The agent hands over after at most 2 failed attempts.",
    "Is the joke funny?",
    "Is the tone of the reply warm enough for a condolence letter?",
    "Reject anything with medical advice.",
    "Accept either 12 or 13 as the answer.",
    "The right answer is 4 or 5; both are accepted.",
    "Either 1914 or 1918 is fine.",
    "The correct answer is 3.",
    "Expected answer: 42. Pass if the output has that number.",
    "Pass only if the answer is 17.",
    "The final answer must be 12.5.",
    "Anything but a refusal fails.",
    "The response passes if it names 2 of the 3 causes.",
    "Fail the response if it makes up a citation.",
    "Judge whether the reply follows the policy.",
    "Evaluate whether the SQL would return the 10 best customers.",
    "Check that the chart has 4 bars and each is labelled.",
    'The translation of "on a scale of 1 to 10" is idiomatic.',
    "The reply explains what 1 star and 5 stars mean on our site.",
    "The review is written as a 4 out of 5 star review.",
    "Contains a score from 0 to 100 for each candidate and a reason.",
    "The grader's note explains the mark of 14/20 with two examples.",
    "The horoscope has a lucky number from 1 to 49.",
    "The dice total is between 2 and 12.",
    "The report gives the Apgar score, 0 to 10, at one and five minutes.",
    "The forecast says 60% or more chance of rain.",
    "The assistant stays in role and gives a difficulty level between 1 and 5 when it offers a riddle.",
    "Lists the medal table: Norway (1), Germany (2), Canada (3).",
    "The tutor tells the pupil how many points the answer is worth.",
    "The countdown reads 3, 2, 1.",
    "The steps are: 1 open the lid, 2 add water, 3 close it.",
    "The reply says which plan fits: 1 = solo, 2 = team, 3 = company.",
)
"""Texts whose numbers are those of an output."""


@pytest.mark.parametrize(
    ("scales", "limits"),
    [
        (MORE_IS_BETTER, (*FROM, *EITHER_WAY)),
        (LESS_IS_BETTER, (*UP_TO, *EITHER_WAY)),
        (NOTHING_SAID, UP_TO),
    ],
)
def test_a_pass_mark_stated_in_an_llm_rubric_text_is_read_whatever_scale_the_text_uses(
    scales: tuple[tuple[str, tuple[int, int]], ...], limits: tuple[str, ...]
) -> None:
    for (lead, ends), limit, between in itertools.product(scales, limits, (" ", "\n")):
        reading = read_text(f"{lead}{between}{limit}".replace("\n ", "\n"))
        assert (reading.ends, reading.passes_from) == (ends, 3), reading.text


@pytest.mark.parametrize(("text", "ends", "passes_from"), IN_OTHER_WORDS)
def test_a_pass_mark_is_read_from_llm_rubric_texts_in_many_wordings(
    text: str, ends: tuple[float, float], passes_from: float
) -> None:
    reading = read_text(text)
    assert (reading.ends, reading.passes_from, reading.points) == (ends, passes_from, ())


@pytest.mark.parametrize("text", ON_OTHER_NUMBERS)
def test_numbers_in_an_llm_rubric_text_that_describe_the_output_are_not_read_as_a_scale(text: str) -> None:
    assert read_text(text).in_words == "pass or fail"
