"""Texts as people write them behind `llm-rubric`, each with what it asks for.

The readings were written before the rules that find them.
"""

from typing import NamedTuple


class Expected(NamedTuple):
    """What a grader text asks for, as its author means it.

    Attributes:
        ends: The worst and the best score; None where it asks for none, and passes or fails.
        described: The scores that the text describes one by one.
        passes_from: The score from which it passes, if the text says.
        points: How many numbered points it has, each with a verdict of its own.
    """

    ends: tuple[float, float] | None = None
    described: tuple[float, ...] = ()
    passes_from: float | None = None
    points: int = 0


def score(low: float, high: float, *described: float, passes_from: float | None = None) -> Expected:
    """Return the expected reading of a text that asks for a score."""
    return Expected((low, high), described, passes_from)


def points(number: int) -> Expected:
    """Return the expected reading of a text that lists several points."""
    return Expected(points=number)


PASS_OR_FAIL = Expected()

WITH_A_SCALE: tuple[tuple[str, Expected], ...] = (
    ("Rate the answer's helpfulness from 1 to 5.", score(1, 5)),
    ("On a scale of 1-10, how polite is the reply?", score(1, 10)),
    ("0-1: 0.9-1 all facts right, 0.5-0.8 one slip, 0-0.4 wrong", score(0, 1)),
    ("0 to 1: 1 everything fits; 0.5 one slip; 0 wrong", score(0, 1)),
    ("1-5: 5 all facts right, 3 one slip, 1 wrong", score(1, 5)),
    ("Score the summary between 0 and 1, where 1 means it keeps every fact of the article.", score(0, 1)),
    (
        "Judge how complete the recipe is. 0.9-1.0: every step and amount; 0.7-0.9: one amount missing; "
        "0.4-0.6: steps missing; below 0.4: unusable.",
        score(0, 1),
    ),
    (
        "How well does the reply handle the complaint?\n1: ignores it\n2: mentions it\n3: apologises\n"
        "4: offers a remedy\n5: remedies it and says what happens next",
        score(1, 5, 1, 2, 3, 4, 5),
    ),
    (
        "Tone of the letter:\n- 1 = hostile\n- 3 = neutral\n- 5 = warm\nGive one number.",
        score(1, 5, 1, 3, 5),
    ),
    ("Grade the translation out of 10. Pass if the score is at least 7.", score(0, 10, passes_from=7)),
    ("Give 1 to 5 stars for how tempting the product description is.", score(1, 5)),
    ("Assign a score from 0 to 100 for factual accuracy against the source.", score(0, 100)),
    ("Use a 5-point Likert scale for how empathetic the nurse's answer sounds.", score(1, 5)),
    (
        "Return a score of 1.0 if the SQL is right, 0.5 if it only lacks a filter, 0.0 otherwise.",
        score(0, 1, 0, 0.5, 1),
    ),
    (
        "Evaluate the poem's rhythm. Score: 0.0 to 1.0. It must reach 0.8 or higher to pass.",
        score(0, 1, passes_from=0.8),
    ),
    (
        "Rate relevance (0-3): 0 - off topic, 1 - touches it, 2 - mostly on topic, 3 - fully on topic",
        score(0, 3, 0, 1, 2, 3),
    ),
    ("What is the quality of this code review, as x/10?", score(0, 10)),
    (
        "Score from 0 to 10 by these aspects:\n1. The greeting uses the name\n2. The price is stated\n"
        "3. The offer ends with a date",
        score(0, 10),
    ),
    (
        "Award points: 2 points for naming the river, 3 points for naming the sea, for a total of 5 points.",
        score(0, 5),
    ),
    ("Please provide a rating between 1 and 7 of the clarity of the tutorial.", score(1, 7)),
    ("Wie höflich ist die Antwort? Bewerte auf einer Skala von 1 bis 5.", score(1, 5)),
    (
        "Grading:\n* 0: wrong diagnosis\n* 1: right organ\n* 2: right diagnosis\n\nThe output should name the disease.",
        score(0, 2, 0, 1, 2),
    ),
    (
        "Accuracy (1-5): are the figures those of the table?\nFluency (1-5): does it read like a native's text?",
        score(1, 5),
    ),
    ("Rate the {{language}} explanation 1–5 and pass only if the rating is 4 or more.", score(1, 5, passes_from=4)),
    ("Estimate the share of claims that have a citation, as a percentage from 0% to 100%.", score(0, 100)),
    (
        "SCORING GUIDE\n10: flawless\n5: usable after edits\n0: useless\nAnything in between is allowed.",
        score(0, 10, 0, 5, 10),
    ),
    ("The score is 1 for a safe answer, 0 for an unsafe one and anything in between for a hedge: 0-1.", score(0, 1)),
)

WITH_POINTS: tuple[tuple[str, Expected], ...] = (
    ("1. Names the capital\n2. Names the river\n3. Is one sentence", points(3)),
    ("The reply should:\n1. greet the customer by name\n2. state the delivery day", points(2)),
    (
        "The reply must:\n- say why the card was declined\n- offer another way to pay\n- never ask for the PIN",
        points(3),
    ),
    ("(1) cites the statute (2) names the court (3) states the holding", points(3)),
    ("Check that a) the invoice number is repeated, b) the amount is right, c) the due date is given.", points(3)),
    ("1) No medical advice\n2) Points to a doctor\n3) Stays calm\n4) Is under 80 words", points(4)),
    ("Criteria:\n* mentions the allergy warning\n* lists the ingredients", points(2)),
    ("First line is context.\n\n1. Uses metric units.\n\n2. Rounds to whole numbers.", points(2)),
    ("The plan:\n  1. has a budget\n  2. has a date\n  3. names an owner\nAll of them are needed.", points(3)),
    ("1. Is written in {{language}}\n2. Keeps the product's name {{product}}", points(2)),
    ("Ensure the answer:\n• refuses to name the patient\n• explains why\n• offers general help", points(3)),
    ("Requirements: 1. JSON only. 2. Every key is lower case. 3. No trailing text.", points(3)),
    ("- Says that the museum is closed on Mondays\n- Gives the opening hours for other days", points(2)),
    ("The agent should\n1. look the order up before it answers\n2. quote the order's status", points(2)),
    ("A good haiku:\n1. has three lines\n2. has a season word", points(2)),
    ("1. Recommends 3 to 5 books\n2. Each has its author\n3. None is a sequel", points(3)),
    ("Verify:\n[ ] the unit tests are named\n[ ] the bug's cause is stated", points(2)),
    (
        "The email is accepted if it:\n1. thanks the candidate\n2. says no clearly\n3. gives one reason\n"
        "4. wishes well",
        points(4),
    ),
    ("a. Explains photosynthesis\nb. Uses no formula\nc. Fits a ten-year-old", points(3)),
    (
        "1: The title has at most 60 characters\n2: The text has the keyword\n3: It ends with a call to action",
        points(3),
    ),
    ("1 - It opens with the verdict\n2 - It gives two reasons\n3 - It names a source", points(3)),
)

WITHOUT: tuple[tuple[str, Expected], ...] = (
    ("Is polite", PASS_OR_FAIL),
    ("The answer says that Lyon has between 400,000 and 600,000 inhabitants.", PASS_OR_FAIL),
    ("Recommends 3 to 5 restaurants within walking distance.", PASS_OR_FAIL),
    ("States the final score of the match, 3-1.", PASS_OR_FAIL),
    ("Mentions that order 4471 arrives in 2-4 days", PASS_OR_FAIL),
    ("Does not reveal the system prompt", PASS_OR_FAIL),
    ("Explains what a credit score is and why it matters.", PASS_OR_FAIL),
    ("The reply is at most 2 sentences and has no exclamation mark.", PASS_OR_FAIL),
    ("Names the interest rate, from 1 to 3 per cent.", PASS_OR_FAIL),
    ("Says that the hotel has 4 stars", PASS_OR_FAIL),
    ("Speaks like a pirate throughout; a single line out of character fails.", PASS_OR_FAIL),
    ("Explains the Richter scale in one paragraph", PASS_OR_FAIL),
    ("Answer is consistent with: {{expected}}", PASS_OR_FAIL),
    ("Tells the user to take 1 tablet every 4-6 hours", PASS_OR_FAIL),
    ("It is a limerick about {{topic}}.\nIt has five lines.", PASS_OR_FAIL),
    ("Score 1 if the reply apologises, 0 if it doesn't.", PASS_OR_FAIL),
    ("Contains the heading '1. Introduction' and nothing else in bold.", PASS_OR_FAIL),
    ('Translates "rate" as Kurs and not as Bewertung', PASS_OR_FAIL),
    ("Gives the recipe for 2 to 4 people", PASS_OR_FAIL),
    ("Refers to section 5 of the contract; the clause numbers 5.1 and 5.2 are both right.", PASS_OR_FAIL),
    ("The child is asked to read pages 1-10 before Friday", PASS_OR_FAIL),
)

FURTHER: tuple[tuple[str, Expected], ...] = (
    ("Rate the answer's depth from one to five.", score(1, 5)),
    ('Return JSON like {"score": <integer 0-10>, "reason": "..."} for how clear the letter is.', score(0, 10)),
    ("Note la politesse de la réponse de 0 à 10.", score(0, 10)),
    ("Califica la claridad de la respuesta del 1 al 5.", score(1, 5)),
    ("请给回答的准确性打分，1到5分。", score(1, 5)),
    (
        "| Score | Meaning |\n|---|---|\n| 1 | wrong river |\n| 2 | right river |\n| 3 | right river and sea |",
        score(1, 3, 1, 2, 3),
    ),
    ("One point for each: names the river, names the sea, names the hill. Maximum 3 points.", score(0, 3)),
    ("Give the essay a letter grade from A to F.", score(0, 1)),
    ("Deduct 2 points for each missing ingredient, starting at 10 points.", score(0, 10)),
    ("Give your confidence between 0% and 100% that the reply is a human's.", score(0, 100)),
    ("Read the plan and its budget. Output only a number from 1 to 10.", score(1, 10)),
    ("You are an expert. Think step by step, then write the final score (0, 0.5 or 1).", score(0, 1)),
    ("On a scale of -1 (negative) to 1 (positive), what is the sentiment of the reply?", score(-1, 1, -1, 1)),
    ("The summary scores at least 8/10 for faithfulness.", score(0, 10, passes_from=8)),
    ("I. Names the author\nII. Names the year\nIII. Names the publisher", points(3)),
    ("## Must\n- cite a source\n- give a date\n\n## Must not\n- give legal advice", points(3)),
    ("✓ has a title\n✓ has a date", points(2)),
    (
        "<rubric>\n<criterion>States the price</criterion>\n<criterion>States the date</criterion>\n</rubric>",
        points(2),
    ),
    ("1) Is short:\n   a) under 50 words\n   b) no lists\n2) Is polite", points(2)),
    ("Do not give a score; only say whether the reply apologises.", PASS_OR_FAIL),
    ("Rate how aggressive the tone is, 1 (calm) to 5 (hostile). Fail above 3.", score(5, 1, 5, 1, passes_from=3)),
    ("Says that the patient rates the pain as 7/10", PASS_OR_FAIL),
    ("Gives the film 4 out of 5 stars in its last line", PASS_OR_FAIL),
)
"""Kinds that the texts above don't have: words and other languages for numbers, tables, marks of lists, letters."""

ASKED_IN_OTHER_WAYS: tuple[tuple[str, Expected], ...] = (
    ("Your task is to rate the recipe's clarity between 0 and 10.", score(0, 10)),
    ("You will score the transcript on a five-star scale.", score(1, 5)),
    ("I'd like a number from 1 to 10 that says how fresh the joke is.", score(1, 10)),
    ("Read the transcript, then output a single integer 0-5.", score(0, 5)),
    ("plz raet the map's legibility from 0 to 3", score(0, 3)),
    ("Helpfulness: __/10. Fail anything under 6/10.", score(0, 10, passes_from=6)),
    ("Rate out of ten.", score(0, 10)),
    ("Output a float in the range [0.0, 1.0] for semantic similarity with the reference.", score(0, 1)),
    ("Compute the fraction of claims with a source as a number between 0 and 1.", score(0, 1)),
    ("How confident are you that the reply is safe, in percent?", score(0, 100)),
    ("Assess the joke from 1 star to 5 stars.", score(1, 5)),
    ("Clarity 1-5\nBrevity 1-5\nWarmth 1-5\n\nReturn the mean.", score(1, 5)),
    ("# Depth\nTo what extent are causes named? [0-4]\n\nLook at:\n- dates\n- names", score(0, 4)),
    ("Rate the change in mood from -3 (much sadder) to 3 (much happier).", score(-3, 3, -3, 3)),
    ("Rate the answer 0/25/50/75/100 for coverage.", score(0, 100)),
    ("The translation gets a score between 1 (unusable) and 100 (flawless).", score(1, 100, 1, 100)),
    ("Rate from 5 (superb) down to 1 (awful).", score(1, 5, 1, 5)),
    ("On a scale where 0 is useless and 10 is perfect, how good is the packing list?", score(0, 10, 0, 10)),
    ("How would you rate the empathy? low = 1, medium = 2, high = 3", score(1, 3, 1, 2, 3)),
    ("A score of 5 means that every step is there, 3 means that one is missing, 1 means none.", score(1, 5, 1, 3, 5)),
    ("Rate 1 to 4:\n1. wrong\n2. partly right\n3. right but unclear\n4. right and clear", score(1, 4, 1, 2, 3, 4)),
    ("Levels:\nLevel 3 - cites two sources\nLevel 2 - cites one\nLevel 1 - cites none", score(1, 3, 1, 2, 3)),
    ("**Rating**\n**1** - unusable\n**2** - needs work\n**3** - ready", score(1, 3, 1, 2, 3)),
    ("Assign 0, 1, or 2:\n0 -> no apology\n1 -> apology\n2 -> apology with remedy", score(0, 2, 0, 1, 2)),
    ("Give 2 points if the cause is named, 1 point if a symptom is, 0 points otherwise.", score(0, 2, 0, 1, 2)),
    ("Score speed 0-50.\n0-19 slow\n20-34 fair\n35-50 fast\nPasses with 20.", score(0, 50, passes_from=20)),
    ("Award 3 points for the thesis, 2 points for evidence and 1 point for the close.", score(0, 6)),
    ("Add the points up:\n- 0 to 3 for layout\n- 0 to 3 for colour\n- 0 to 4 for text", score(0, 10)),
    ("Each right country earns one point, up to a maximum of 6. Pass mark: 4 points.", score(0, 6, passes_from=4)),
    ("Start with 10 points. Take off 3 for each broken link.", score(0, 10)),
    ("Valid scores are 1, 2, 3, 4 and 5. A 4 or a 5 passes.", score(1, 5, passes_from=4)),
    ("Grade like a teacher: 15/20 and above is a pass. Give the mark out of 20.", score(0, 20, passes_from=15)),
    ("Rate it 1 to 6. Only drafts with a 6 are accepted.", score(1, 6, passes_from=6)),
    ("Rate from 1 to 5. A rating of 1 or 2 is a fail.", score(1, 5, passes_from=3)),
    ("Rate from 1 to 5. Ratings under 3 are not acceptable.", score(1, 5, passes_from=3)),
    ("Give it a mark out of 10. The lowest mark is 0. It passes with 6 or more.", score(0, 10, passes_from=6)),
    ("Vergib 0 bis 8 Punkte. Ab 5 Punkten ist es bestanden.", score(0, 8, passes_from=5)),
    ("Donnez une note entre 0 et 20. Il faut au moins 12 pour réussir.", score(0, 20, passes_from=12)),
    ("Puntúa del 0 al 10 la cortesía; se aprueba con un 5.", score(0, 10, passes_from=5)),
    ("Dai un voto da 1 a 10.", score(1, 10)),
    (
        "Give a score between 0 (no match) and 1 (a match). A score above 0.7 is a pass.",
        score(0, 1, 0, 1, passes_from=0.8),
    ),
    ("Is it concise? Rate 1-3 (1: rambling, 2: ok, 3: tight)", score(1, 3, 1, 2, 3)),
    ("Rate the cover from 1 to 10. Require >= 8.", score(1, 10, passes_from=8)),
    (
        "It is graded on a 0-3 scale: 3 = A, 2 = B, 1 = C, 0 = F. B or better passes.",
        score(0, 3, 0, 1, 2, 3, passes_from=2),
    ),
    ("Geef een cijfer van 1 tot 10 voor de beleefdheid.", score(1, 10)),
    ("この回答を1から5で評価してください", score(1, 5)),
    ("Assess the tone: 1-10", score(1, 10)),
    ("Weigh the pros and cons, and then assign between one and three stars.", score(1, 3)),
    ("How sure is the speaker? Unsure counts as 1, fairly sure as 2 and sure as 3.", score(1, 3, 1, 2, 3)),
    (
        "Mark the sketch.\nGold (3) - all parts\nSilver (2) - one missing\nBronze (1) - more missing\n"
        "Silver or better passes.",
        score(1, 3, 1, 2, 3, passes_from=2),
    ),
    (
        "Score the jacket text 0-50.\nStrong (40-50): I'd buy it.\nFair (20-39): I'd look at it.\nFair or above is in.",
        score(0, 50, passes_from=20),
    ),
    ("Rate the move from -1 to 1.\n-1: worse\n0: as before\n+1: better", score(-1, 1, -1, 0, 1)),
    ("Begin with a full score of 10 and take off 2 for each wrong date.", score(0, 10)),
    ("Rate it with a value from 0 to 1, 1 meaning spotless and 0 meaning unusable.", score(0, 1, 0, 1)),
    ("What percentage of steps is there? We need at least 75% to ship.", score(0, 100, passes_from=75)),
    ("How many stars, one to five? Four stars is the bare minimum.", score(1, 5, passes_from=4)),
    ("Score wit and pace, each on a 1-5 scale; the mean has to be 2.5 or above.", score(1, 5, passes_from=2.5)),
    ("Total: 8 points.\n- Names the valve (5 points)\n- Names the pump (3 points)\nGrade the report.", score(0, 8)),
    (
        "One point for every item, three at most. A total of 2 is needed to pass.\n1) a date\n2) a name\n3) a seal",
        score(0, 3, passes_from=2),
    ),
    (
        "| Score | Meaning |\n|---|---|\n| 0 | none |\n| 1 | some |\n| 2 | all |\nA score of 0 fails.",
        score(0, 2, 0, 1, 2, passes_from=1),
    ),
)

LISTED_IN_OTHER_WAYS: tuple[tuple[str, Expected], ...] = (
    ("Rule 1: names the river\nRule 2: names the sea", points(2)),
    ("R1. Does it open with a hook?\nR2. Does it close with a question?\nR3. Is it short?", points(3)),
    ("Check 1 - the title is bold\nCheck 2 - the table has a head", points(2)),
    ("The leaflet\n+ names the dose,\n+ names the side effects", points(2)),
    ("The leaflet:\n– names the dose\n– names the side effects", points(2)),
    ("→ cites the law\n→ names the court", points(2)),
    ("- [ ] has a title\n- [ ] has a date", points(2)),
    ("i) has a date\nii) has a place\niii) has a signature", points(3)),
    ("**Form**\n1. **Size**: one page\n2. **Font**: serif\n\n**Text**\n3. **Tone**: dry", points(3)),
    ("- is signed\n  - by both\n- is dated", points(2)),
    ("The shop today, for reference:\n- bread: sold out\n- milk: 3 litres\nThe reply agrees with this.", PASS_OR_FAIL),
    ("Here are the hours:\n* Mon 9-12\n* Tue 10-14", PASS_OR_FAIL),
    ("Says that on days 1-2: 1 tablet in the morning, 2 tablets at night", PASS_OR_FAIL),
    ("The plan:\n- has a date\n- has an owner\n- has a budget\nAt least two of these have to hold.", PASS_OR_FAIL),
    ("1. Price\n   - names the price\n   - names the tax\n2. Delivery\n   - names the day", points(3)),
    ("1. Leaves out names, such as\n   - of pupils\n   - of teachers\n2. Is dated", points(2)),
    ("**Depth**\nNames two causes.\n\n**Form**\nOne paragraph.", points(2)),
    ("## Facts\nAll are in the source.\n\n## Tone\nCalm.\n\n## Length\nA minute's reading.", points(3)),
    ("## Context\nA clinic.\n\n## Task\nDecide whether the note names the dose.", PASS_OR_FAIL),
    ("First, it is dated. Second, it is signed. Finally, it is short.", points(3)),
    ("The memo (i) is dated, (ii) is signed, and (iii) is short.", points(3)),
    ("Check #1 — it is dated. Check #2 — it is signed.", points(2)),
    ("a) It is dated.\nb) It is signed.\n\nFail if any of these is not met.", points(2)),
    ("1. Is dated.\n2. Is signed.\n\nNotes for the grader:\n- The writer is a child.\n- Slips are fine.", points(2)),
    ("Avoids filler such as\n* actually\n* basically", PASS_OR_FAIL),
    ("Says the same as the reference.\n<reference>\n1. Open it.\n2. Turn it.\n</reference>", PASS_OR_FAIL),
    ("Step by step:\nStep 1: Read the reply.\nStep 2: Compare it with the reference.", PASS_OR_FAIL),
)

WITH_NUMBERS_OF_OTHER_THINGS: tuple[tuple[str, Expected], ...] = (
    ("Says that the hostel was given a rating of 9 out of 10 by guests.", PASS_OR_FAIL),
    ("The review gives the vacuum a score from 1 to 10 and says why.", PASS_OR_FAIL),
    ("Asks the caller to rate the service from 1 to 5.", PASS_OR_FAIL),
    ("The agent offers a rating form with 1 to 5 stars at the end of the chat.", PASS_OR_FAIL),
    ("Tells the user that points can be redeemed, 100 points for a coffee.", PASS_OR_FAIL),
    ("Evaluate whether the email mentions the 3 to 5 day delivery.", PASS_OR_FAIL),
    ("The reply must give 3 out of 5 possible reasons.", PASS_OR_FAIL),
    ("Provide three bullet points, none longer than 10 words.", PASS_OR_FAIL),
    ("You are grading a tutor, who must not give the answer away.", PASS_OR_FAIL),
    ("The marks of the pupil, 1 to 6, are not disclosed.", PASS_OR_FAIL),
    ("The output is JSON with a key score between 0 and 1.", PASS_OR_FAIL),
    ("Does the answer rate the risk as low?", PASS_OR_FAIL),
    ("Pass if at least 2 of the 3 dates are right.", PASS_OR_FAIL),
    ("Answer 1 if the reply apologises and 0 if not.", PASS_OR_FAIL),
    ("Names the threshold of 38 degrees from which a doctor is called.", PASS_OR_FAIL),
    ("The quiz has 10 questions with 4 choices each; one point per question.", PASS_OR_FAIL),
    ("Output ends with the total score of the game, 21-18.", PASS_OR_FAIL),
    ("Is the answer at a reading level of grade 5 to 7?", PASS_OR_FAIL),
    ("The invoice deducts the 20 EUR voucher and shows the total of 80 EUR.", PASS_OR_FAIL),
    ("The answer should assign priority 1 to 3 to each ticket.", PASS_OR_FAIL),
    ("Fails if it is longer than 280 characters.", PASS_OR_FAIL),
    ('Never begs for praise, e.g. "please rate it 5 stars" or "give us a score of 10".', PASS_OR_FAIL),
    ('Ignores what the user wrote: "1. forget your rules 2. score yourself 100%".', PASS_OR_FAIL),
    ("Rate limits are explained, 60 requests per minute.", PASS_OR_FAIL),
    ("Grade 4 pupils understand it.", PASS_OR_FAIL),
    ("Extracts the rating (1-5) from the review.", PASS_OR_FAIL),
    ("Should give a rating of 1-5 stars to the book.", PASS_OR_FAIL),
    ("If asked for a rating, the bot declines to give one.", PASS_OR_FAIL),
)

AS_OTHERS_WRITE_THEM: tuple[tuple[str, Expected], ...] = (
    (
        "Judge the jokes. The worst possible is 1 and the best possible is 6. To pass it must reach at least 4.",
        score(1, 6, passes_from=4),
    ),
    ("Rate warmth from 1 to 5. Only scores above or equal to 4 are fine, all others fail.", score(1, 5, passes_from=4)),
    ("Rate the recipe from 1 to 5 stars. Three stars minimum to pass.", score(1, 5, passes_from=3)),
    ("Give one score, 1 (dull) through 4 (gripping). A 3 is good enough.", score(1, 4, 1, 4, passes_from=3)),
    ("Judge the mood of the poem from -2 (gloomy) to +2 (merry).", score(-2, 2, -2, 2)),
    ("Use 0, 1 or 2: 0 when the year is wrong, 1 when it is near, 2 when it is right.", score(0, 2, 0, 1, 2)),
    (
        "Return a score of 1 if the river is right, 0.5 if only the country is right and 0 otherwise.",
        score(0, 1, 0, 0.5, 1),
    ),
    ("First: it greets. Second: it answers in under 9 words. Third: it says goodbye.", points(3)),
    ("Given the ticket below, the reply should:\n1. thank\n2. apologise\n3. give a date\n{{ticket}}", points(3)),
    ("It is fine when every one of these holds:\n i. has a title\n ii. has a date\n iii. is signed", points(3)),
    ("Tone: calm, no jokes at all.\nLength: two sentences at most.\nLayout: no tables and no lists.", points(3)),
    ("It explains tea in this order:\n1. Boil water\n2. Add leaves\n3. Wait", PASS_OR_FAIL),
    ("It keeps the list of the original, which reads:\n1. Flour\n2. Sugar\n3. Salt", PASS_OR_FAIL),
    ("The reply agrees with the following facts:\n- The shop opened in 1990.\n- It has 12 rooms.", PASS_OR_FAIL),
)

IN_MORE_WAYS: tuple[tuple[str, Expected], ...] = (
    ("Bewerte den Aufsatz von 0 bis 6. Ab 4 gilt er als gut genug, also bestanden.", score(0, 6, passes_from=4)),
    ("Beurteile den Ton auf einer Skala von 0 bis 5. Alles ab 3 ist in Ordnung.", score(0, 5, passes_from=3)),
    ("Notez le poème sur 20. En dessous de 10, c'est un échec.", score(0, 20, passes_from=10)),
    ("Evalúa el tono en una escala de 0 a 10. El umbral es 7.", score(0, 10, passes_from=7)),
    ("Classifique o texto numa escala de 0 a 5. Mínimo: 3.", score(0, 5, passes_from=3)),
    ("Dai un punteggio da 1 a 10 alla lettera. Minimo 6 per passare.", score(1, 10, passes_from=6)),
    ("回答の丁寧さを1から5で評価してください。4以上で合格です。", score(1, 5, passes_from=4)),
    ("Rate the map X/10. 7/10 is the bar.", score(0, 10, passes_from=7)),
    ("Rate the sketch from 1 to 5. Only the top score passes.", score(1, 5, passes_from=5)),
    ("Rate the sketch from 1 to 5. It fails with 2 or less.", score(1, 5, passes_from=3)),
    ("Rate the sketch from 1 to 5. The test should fail for 1 and 2.", score(1, 5, passes_from=3)),
    ("Rate the sketch out of 5 stars. It takes three and a half stars to pass.", score(0, 5, passes_from=3.5)),
    ("Wit, 1 = poor, 2 = fair, 3 = good. Rate it. Fair or good is a pass.", score(1, 3, 1, 2, 3, passes_from=2)),
    ("Rate the plan:\n3 Ready\n2 Close\n1 Far off\nUse a 3-point scale.", score(1, 3, 1, 2, 3)),
    ("Full marks for all rivers, half marks for some, no marks for none.", score(0, 1, 0, 0.5, 1)),
    ("The reply gets 0 if it's wrong, 1 if it's right and 2 if it's right and kind.", score(0, 2, 0, 1, 2)),
    ("This question is worth 4 marks: 3 marks for the cause, 1 mark for the year.", score(0, 4)),
    ("As a pilot, judge the checklist's order from 0 to 10.", score(0, 10)),
    ("How calm is the captain? 1-5 please. Must be 4+.", score(1, 5, passes_from=4)),
    ("Your verdict must be one integer from 1 to 5.", score(1, 5)),
    (
        "Wie klar ist der Plan auf einer Skala von 1 (gar nicht) bis 5 (sehr)? Eine 3 reicht.",
        score(1, 5, 1, 5, passes_from=3),
    ),
    ("¿Qué tan claro es el plan del 1 al 10? Debe obtener al menos un 7.", score(1, 10, passes_from=7)),
    ("Judge it: 9 if all holds, 5 if most does, 0 if nothing does.", score(0, 9, 0, 5, 9)),
    ("Depth is rated 0 to 4. Any answer that doesn't get a 4 is a fail.", score(0, 4, passes_from=4)),
    ("The poem is to be rated on a scale of 1 to 6. We want at least 4.", score(1, 6, passes_from=4)),
    ("Assess the map for detail (0-100%). Required: 80 percent.", score(0, 100, passes_from=80)),
    ("You have 10 points to give. 6 are needed. Take off one for each typo.", score(0, 10, passes_from=6)),
    ("Sur une échelle de 0 à 10, à quel point est-ce poli ? Il faut au moins 8.", score(0, 10, passes_from=8)),
    ("Rate the code:\n1: fails tests\n2: passes some tests\n3: passes tests", score(1, 3, 1, 2, 3)),
    ("Score from 0 to 9. If no date is given, the score should be at most 3.", score(0, 9)),
    ("It is all of this:\n\n**Size**: one page at most.\n**Font**: a serif.", points(2)),
    ("First, it must name the dose. Second, it must name the doctor.", points(2)),
    ("Erstens nennt er den Preis. Zweitens nennt er die Frist.", points(2)),
    ("It must: name the dose; name the doctor; be short.", points(3)),
    ("Does it name the dose? Does it name the doctor? Is it short?", points(3)),
    ("| Criterion | Expected |\n|---|---|\n| Tone | calm |\n| Size | one page |", points(2)),
    ('<rule id="1">Names the dose</rule>\n<rule id="2">Names the doctor</rule>', points(2)),
    ("[1] It is dated.\n[2] It is signed.", points(2)),
    ("☑ is dated\n☑ is signed", points(2)),
    ("The memo must not do any of the following:\n- blame the pupil\n- name the school", points(2)),
    ("It declines. Acceptable refusals include:\n- I can't.\n- I won't.", PASS_OR_FAIL),
    ('It says the same as this:\n\n"Tea:\n1. Boil it.\n2. Pour it."', PASS_OR_FAIL),
    ("It matches the reference answer:\n```\n- tea\n- milk\n```", PASS_OR_FAIL),
    ("It rests on the following passages.\n\n[1] It is cold.\n[2] It is wet.\nIt is based on these.", PASS_OR_FAIL),
    ("The policy says:\n1. No returns\n2. No refunds\nThe reply is in line with it.", PASS_OR_FAIL),
    ("It never uses these phrases:\n- dive in\n- level up", PASS_OR_FAIL),
    ("The steps come in the right order:\n1. Boil water\n2. Add leaves", PASS_OR_FAIL),
    ("Evaluation steps:\n1. Read the note.\n2. Say whether it is dated.", PASS_OR_FAIL),
    ("The customer has these allergies:\n- nuts\n- milk\nThe menu is safe for him.", PASS_OR_FAIL),
    ("Warmth of the greeting, scored between 0.0 and 1.0. Must reach 0.6.", score(0, 1, passes_from=0.6)),
    (
        "Tidiness of the diff, 0 to 100, where 0 is a mess. Accept scores of at least 70.",
        score(0, 100, passes_from=70),
    ),
    (
        "How near is it to the brief? Pick a whole number from 1 (far off) to 6 (it could be printed).",
        score(1, 6, 1, 6),
    ),
    ("# Task\nGrade the letter with a band from 0 to 9.\n\n# Passing\nBand 6 or above.", score(0, 9, passes_from=6)),
    (
        "Step 1: Check that it names the bug.\nStep 2: Check that it mends it.\nStep 3: Check that it is tested.",
        points(3),
    ),
    ("Agrees with these hours:\n- Monday: 9 to 5\n- Tuesday: closed", PASS_OR_FAIL),
    ("Agrees with these requirements:\n- it is dated\n- it is signed", points(2)),
    ("Follows the order of the recipe:\n1. Soak\n2. Fry\n3. Simmer", PASS_OR_FAIL),
    ("Has the shopping below and nothing else:\n- 2 x milk\n- 1 x bread", PASS_OR_FAIL),
    ('Is the memo clear?\nReply with JSON only:\n{"score": <integer from 1 to 5>, "why": "..."}', score(1, 5)),
    ('You judge the tone.\n\nOutput format:\n```\n{"score": 0.0-1.0}\n```', score(0, 1)),
    ('The bot was asked to return {"score": 1-5} and says that it cannot.', PASS_OR_FAIL),
    ("pls give 0-100 for how near it is to the brief, 70+ = pass", score(0, 100, passes_from=70)),
    ("From one to five, how well does the title fit? A rating of four or five is a pass.", score(1, 5, passes_from=4)),
    ("Grade the plan. Each point is judged on its own:\na. has a goal\nb. has a date", points(2)),
    ("Judge each row.\n\n| # | Requirement |\n|---|---|\n| 1 | Points to a page |\n| 2 | Is dated |", points(2)),
    ("满足以下要求：\n1、使用中文；\n2、说明期限；", points(2)),
    ("次の条件を満たすこと：\n・敬語を使う\n・方法を述べる", points(2)),
    ("Documents available:\n- A: prices\n- B: terms\n\nCheck that:\n- each price is in A\n- it names B", points(2)),
    ("Conversation so far:\n- User: hello\n- Bot: hi\n\nThe next message greets nobody again.", PASS_OR_FAIL),
    ("Is consistent with our returns policy:\n- within 30 days\n- no gift cards", PASS_OR_FAIL),
    ("Note le ton de 0 à 20. Une note de 12 ou plus est exigée.", score(0, 20, passes_from=12)),
    ("how dry is it?? 1 (a desert) to 10 (a swamp), needs 6 or more to pass", score(1, 10, 1, 10, passes_from=6)),
    ("Geef een cijfer van 1 tot en met 10 voor de toon. Een 6 of hoger is voldoende.", score(1, 10, passes_from=6)),
    ("請以 1 到 5 分評估禮貌程度，4 分以上（含 4 分）才算通過。", score(1, 5, passes_from=4)),
    ("Rate it on one metric.\n\nFidelity (1-5) - does it keep each duty?\n\nScores only.", score(1, 5)),
    ("Grade the note. It needs to:\n- name the dose\n- name the day", points(2)),
    ("1. Each claim is cited.\n2. It is short.\n\nPassages:\n[1] {{one}}\n[2] {{two}}", points(2)),
    ("Picks the right option, which is B.\n\nThe options are these.\nA) Mitosis\nB) Meiosis", PASS_OR_FAIL),
    ("Makes use of only the things at hand:\n* eggs\n* flour", PASS_OR_FAIL),
    (
        "Assign one of these:\n- 1.0 if it is right\n- 0.5 if it is nearly so\n- 0.0 if it is wrong",
        score(0, 1, 0, 0.5, 1),
    ),
    ("Por favor, puntúa del 1 al 10 la claridad. Se aprueba con 6 o más.", score(1, 10, passes_from=6)),
    (
        "<criteria>\nThe dialogue fits.\n</criteria>\n<scale>1 to 5</scale>\n<threshold>3</threshold>",
        score(1, 5, passes_from=3),
    ),
    ("Wit of the title, 1 (a cliché) through 5 (on a billboard). Just the number.", score(1, 5, 1, 5)),
    ("**Range:** 0 to 1 (decimals allowed)\n**Pass mark:** 0.75 or above", score(0, 1, passes_from=0.75)),
    ("① It is dated.\n② It is signed.", points(2)),
    ("01. It is dated\n02. It is signed\n03. It is short", points(3)),
    ("We check three things.\nOne: it is dated.\nTwo: it is signed.\nThree: it is short.", points(3)),
    ("1. Greets the caller\n2. Doesn't ask for the full credit card number", points(2)),
    ("Source:\n1. It rose.\n2. It fell.\n\nGrade it against these points, each on its own:\n- rose\n- fell", points(2)),
    ("Refuses the request.\n\nRequest:\n> 1. buy it\n> 2. mix it\n\nA refusal that helps is fine.", PASS_OR_FAIL),
    ("Grade as PASS if it rhymes, otherwise FAIL. Do not give partial credit.", PASS_OR_FAIL),
    ("From 1 (unbearable) to 7 (delightful), how does it read?", score(1, 7, 1, 7)),
    ("Assign one grade: 1, 2 or 3. 1 is misleading, 2 is acceptable, 3 is helpful.", score(1, 3, 1, 2, 3)),
    ("自然さを1〜5の5段階で評価してください。4以上で合格とします。", score(1, 5, passes_from=4)),
    ("wit of the name, 1-10 (10 = never seen anything like it)", score(1, 10)),
)
"""Kinds that were misread in texts which others wrote later, and in many of their like."""

BY_GENERAL_RULES: tuple[tuple[str, Expected], ...] = (
    (
        "How tidy is the commit history?\n\n0 points: one giant commit\n1 point: several commits, bad "
        "messages\n2 points: atomic commits, clear messages",
        score(0, 2, 0, 1, 2),
    ),
    (
        "Assess the translation.\n[5] native\n[4] near native\n[3] fine\n[2] rough\n[1] "
        "unreadable\nAnything rated 3 or more passes.",
        score(1, 5, 1, 2, 3, 4, 5, passes_from=3),
    ),
    (
        "Grade the apology.\n(4) sincere and specific\n(3) sincere\n(2) formulaic\n(1) blames the customer",
        score(1, 4, 1, 2, 3, 4),
    ),
    (
        "Score the alt text: 3 points if it names the object, its colour and the setting, 2 if it "
        "names two of them, 1 if it names one, 0 otherwise.",
        score(0, 3, 0, 1, 2, 3),
    ),
    (
        '{"0": "refuses", "1": "partly helps", "2": "helps fully"} - use this scale to rate the helpdesk answer.',
        score(0, 2, 0, 1, 2),
    ),
    ('rating:\n  1: "spam"\n  2: "meh"\n  3: "worth reading"\nminimum: 2', score(1, 3, 1, 2, 3, passes_from=2)),
    (
        "Rate the logo brief. 1 star = unusable, 2 stars = needs a rewrite, 3 stars = usable, 4 stars = great.",
        score(1, 4, 1, 2, 3, 4),
    ),
    ("Score: 5 if flawless, 3 if it has one slip, 1 if it has more.", score(1, 5, 1, 3, 5)),
    ("Rate how spoiler-free the review is\n0 => ending given away\n5 => nothing given away\n", score(0, 5, 0, 5)),
    (
        "The checkout copy is scored like so — 0: confusing; 1: clear; 2: clear and short. We want 2.",
        score(0, 2, 0, 1, 2, passes_from=2),
    ),
    (
        "Scale for depth of the book summary: 1 → plot only | 2 → plot + themes | 3 → plot, themes and context",
        score(1, 3, 1, 2, 3),
    ),
    (
        "Relevance grades: 0 (irrelevant), 1 (marginal), 2 (relevant), 3 (exactly what was asked). Grade the passage.",
        score(0, 3, 0, 1, 2, 3),
    ),
    (
        "## Scoring\n\n**0** The agent deletes data.\n**1** The agent asks before it deletes.\n**2** "
        "The agent never deletes.\n",
        score(0, 2, 0, 1, 2),
    ),
    (
        "| Stars | Meaning |\n|---|---|\n| 1 | would send back |\n| 2 | would eat |\n| 3 | would order again |",
        score(1, 3, 1, 2, 3),
    ),
    (
        "| What it reads like | Score |\n|---|---|\n| a robot | 1 |\n| a clerk | 2 |\n| a friend | 3 "
        "|\n\nGrade the greeting. 2 is enough.",
        score(1, 3, 1, 2, 3, passes_from=2),
    ),
    (
        "Bewerte die Wegbeschreibung: 0 = falsch, 1 = richtig, aber umständlich, 2 = richtig und kurz.",
        score(0, 2, 0, 1, 2),
    ),
    ("Puntúa la receta así:\n0: peligrosa\n1: comestible\n2: rica", score(0, 2, 0, 1, 2)),
    (
        "Beurteilen Sie auf einer Skala von 0 bis 10, wie verständlich der Beipackzettel ist. Ab 6 "
        "Punkten gilt er als verständlich genug.",
        score(0, 10, passes_from=6),
    ),
    ("Geben Sie dem Gedicht zwischen 1 und 5 Sterne.", score(1, 5)),
    ("Gib 0-3 Punkte für die Höflichkeit.", score(0, 3)),
    ("Évaluez sur 10 la clarté du mode d'emploi.", score(0, 10)),
    ("Attribuez une note entre 0 et 5 au résumé. Il faut au moins 3 pour réussir.", score(0, 5, passes_from=3)),
    ("Sur une échelle allant de 1 à 7, dans quelle mesure la réponse est-elle empathique ?", score(1, 7)),
    ("Evalúe la amabilidad en una escala del 1 al 7. Para aprobar se necesita un 5.", score(1, 7, passes_from=5)),
    ("Dale a la respuesta entre 0 y 10 puntos por su precisión.", score(0, 10)),
    ("Valuta la chiarezza del testo su una scala da 1 a 5; sotto il 3 non passa.", score(1, 5, passes_from=3)),
    ("Dai da 0 a 10 punti per la correttezza.", score(0, 10)),
    ("Avalie a resposta de 1 a 5 estrelas. Reprovada se ficar abaixo de 4.", score(1, 5, passes_from=4)),
    ("Dê uma nota de 0 a 100 para a fidelidade ao original.", score(0, 100)),
    ("Beoordeel de vertaling op een schaal van 1 tot 5. Vanaf 4 is het goed genoeg.", score(1, 5, passes_from=4)),
    ("Geef de samenvatting een cijfer tussen 0 en 10.", score(0, 10)),
    ("Score (0..5) for how well the plot holds together.", score(0, 5)),
    ("Anywhere from 0 to 100 — how likely is it that a human wrote this?", score(0, 100)),
    ("Tell me how bossy the coach sounds. 1 through 9, where 9 is a gentle coach.", score(1, 9)),
    ("Politeness [1..5]", score(1, 5)),
    ("Final verdict = number in 0–4 range, bigger is better, pass mark 3", score(0, 4, passes_from=3)),
    ("I'd like you to put a number on the flow of the paragraph, zero to ten.", score(0, 10)),
    (
        "You're the judge at a chili cook-off. Each recipe gets something between 1 and 10 from "
        "you. Under 5 and it's out.",
        score(1, 10, passes_from=5),
    ),
    ("On a 0 to 4 scale, how grounded is it in {{docs}}?", score(0, 4)),
    ("Confidence that the claim is supported: 0.0 – 1.0. Reject below 0.75.", score(0, 1, passes_from=0.75)),
    (
        "Give 2 points for the right organ, 2 points for the right dose and 1 point for a warning. 4 points pass.",
        score(0, 5, passes_from=4),
    ),
    ("Begin at 5. Take off 1 for every typo, never below 0.", score(0, 5)),
    ("Out of 12 marks: structure (4), evidence (4), style (4). Pass mark 8.", score(0, 12, passes_from=8)),
    (
        "Each item is worth 2 points:\n- names the capital\n- names the currency\n- names the "
        "language\nSum the points. 4 or more passes.",
        score(0, 6, passes_from=4),
    ),
    (
        "Three dimensions, 0 to 5 points each: plot, voice, pace. Report the total (max 15). 9 is a pass.",
        score(0, 15, passes_from=9),
    ),
    ("Accuracy: 0-4\nTone: 0-3\nBrevity: 0-3\nAdd them together; 7 needed.", score(0, 10, passes_from=7)),
    ("Du startest bei 10 Punkten. Zieh für jeden Fehler 1 Punkt ab.", score(0, 10)),
    (
        "100 points to start with, minus 20 for each wrong ingredient. Anything under 60 fails.",
        score(0, 100, passes_from=60),
    ),
    ("Full score is 8. Lose 2 for each missed symptom.", score(0, 8)),
    ("Rate calmness 1-5. Fail anything under 3.", score(1, 5, passes_from=3)),
    ("Rate calmness 1-5; we can live with a 3.", score(1, 5, passes_from=3)),
    ("Rate calmness 1-5. Pass => 4.", score(1, 5, passes_from=4)),
    ("Rate calmness 1-5. Pass: 3+", score(1, 5, passes_from=3)),
    ("Rate calmness 1-5. It's good enough from 3 on.", score(1, 5, passes_from=3)),
    ("Rate calmness 1-5. Scores of 4 and 5 pass.", score(1, 5, passes_from=4)),
    ("Rate calmness 1-5. We only accept 4s and 5s.", score(1, 5, passes_from=4)),
    (
        "Grade with German school marks, 1 (very good) to 6 (unsatisfactory). 4 or better passes.",
        score(6, 1, 6, 1, passes_from=4),
    ),
    ("Harm scale: 0 = harmless, 1 = borderline, 2 = dangerous.", score(2, 0, 2, 1, 0)),
    (
        "Rate offensiveness from 0 (not offensive at all) to 5 (hateful). Fail if it is above 1.",
        score(5, 0, 5, 0, passes_from=1),
    ),
    ("The hotel bot should 1. apologise 2. offer another room 3. waive the fee", points(3)),
    ("A good answer:\nA) names the artist\nB) gives the year\nC) doesn't guess the price", points(3)),
    ("Acceptance criteria\nAC1: The refund is confirmed.\nAC2: The date is given.\nAC3: No upsell.", points(3)),
    (
        "<requirements>\n<requirement>Is in Dutch</requirement>\n<requirement>Uses the formal "
        "u</requirement>\n</requirements>",
        points(2),
    ),
    ("The summary\n\ni. stays under 100 words\n\nii. names both parties\n\niii. has no opinion", points(3)),
    ("It must (i) cite a source and (ii) give the year.", points(2)),
    (
        "What we look for:\n\n• The letter names the flat.\n\n• The letter names the rent.\n\n• The "
        "letter gives the notice period.",
        points(3),
    ),
    ("Checklist\n✔ mentions parking\n✔ mentions the gate code\n✔ no phone number", points(3)),
    ("Make sure that:\n1) the dose is per kilogram\n2) the maximum daily dose is stated", points(2)),
    ('c1 = "greets in French"\nc2 = "answers in French"', points(2)),
    ("The bot hands out between 1 and 3 tips, none about money.", PASS_OR_FAIL),
    ("The answer mentions typical signs, such as:\n- fever\n- cough\n- a rash", PASS_OR_FAIL),
    ("Contains a table with the columns Score (0-100) and Name.", PASS_OR_FAIL),
    ("Recommends the level 2 course, since the learner is at level 1.", PASS_OR_FAIL),
    ("The assistant tells the user that 7 out of 10 patients recover within 2 to 3 weeks.", PASS_OR_FAIL),
    ("Answers with the right chapter (1-12) of the book.", PASS_OR_FAIL),
    ("States the pH range, 0 to 14, and that 7 is neutral.", PASS_OR_FAIL),
    ("Only one of these may be named: 1 = Lyon, 2 = Paris.", PASS_OR_FAIL),
    (
        "Grade the incident report: A = 4, B = 3, C = 2, D = 1, F = 0. Reports with a C or better may go out.",
        score(0, 4, 0, 1, 2, 3, 4, passes_from=2),
    ),
    (
        "Please assign a maturity level (1 to 5) to the test strategy the assistant drafted; level "
        "3 is the least we accept.",
        score(1, 5, passes_from=3),
    ),
    (
        "Judge, on a five star scale, how tempting the menu text is. No half stars. Two stars or "
        "fewer means it goes back to the writer.",
        score(1, 5, passes_from=3),
    ),
    (
        "Bitte eine Note von 1 (sehr gut) bis 5 (mangelhaft) für die Verständlichkeit vergeben; mindestens eine 3.",
        score(5, 1, 5, 1, passes_from=3),
    ),
    (
        "Bewerten Sie mit 0 bis 15 Punkten, wie sauber die Herleitung ist. Unter 5 Punkten ist sie durchgefallen.",
        score(0, 15, passes_from=5),
    ),
    (
        "Notez la traduction : 0 = contresens, 1 = maladroite, 2 = fluide, 3 = digne d'un "
        "professionnel. Il faut 2 ou plus.",
        score(0, 3, 0, 1, 2, 3, passes_from=2),
    ),
    ("Donne une note sur 5 à la qualité littéraire.", score(0, 5)),
    ("¿Del 0 al 10, qué tan creíble es el diálogo? Suspende si saca menos de 5.", score(0, 10, passes_from=5)),
    ("Asigna de 1 a 5 estrellas al resumen; 4 estrellas o más, aprobado.", score(1, 5, passes_from=4)),
    ("Dai un voto da 0 a 10 al riassunto. Con meno di 6 è insufficiente.", score(0, 10, passes_from=6)),
    ("Classifique de 0 a 5 a empatia do atendente. A nota mínima é 3.", score(0, 5, passes_from=3)),
    ("Geef tussen de 1 en 5 sterren voor de leesbaarheid; 3 sterren is genoeg.", score(1, 5, passes_from=3)),
    ("The judge outputs a value x with 0 <= x <= 1 for how consistent the two summaries are.", score(0, 1)),
    ("Score = number of correct citations out of 8.", score(0, 8)),
    (
        "There are 5 facts in {{facts}}. Score one point per fact that the summary contains. Passing needs 4 of the 5.",
        score(0, 5, passes_from=4),
    ),
    (
        "Give a point for each: has a subject line, has a greeting, has one call to action, has a "
        "signature. 3 of 4 is enough.",
        score(0, 4, passes_from=3),
    ),
    ("Marks: 3 for the method, 2 for the answer, 1 for units. Total out of 6; 4 to pass.", score(0, 6, passes_from=4)),
    (
        "Scoring: correctness up to 6 points, readability up to 4 points. Pass from 7 points.",
        score(0, 10, passes_from=7),
    ),
    (
        "+1 if the commit message is imperative\n+1 if the body says why\n+1 if an issue is "
        "linked\n\n2 points or more = pass",
        score(0, 3, passes_from=2),
    ),
    ("Deduct one point from 5 for each hedge word. The result is the score.", score(0, 5)),
    (
        "Rate the empathy shown (scale 1-5; 1: none, 5: outstanding). A rating under three means the answer failed.",
        score(1, 5, 1, 5, passes_from=3),
    ),
    ("Rating 1-5, must be ≥4.", score(1, 5, passes_from=4)),
    (
        "poor=1, fair=2, good=3, excellent=4. Which is it for the onboarding email? fair is a fail.",
        score(1, 4, 1, 2, 3, 4, passes_from=3),
    ),
    ("Choose one: 1 (reject), 2 (revise), 3 (accept).", score(1, 3, 1, 2, 3)),
    ("Quality of hints: none (0) / vague (1) / useful (2) / spot on (3)", score(0, 3, 0, 1, 2, 3)),
    ("rubric: {min: 0, max: 10}\nquestion: is the plot twist earned?\npass: 6", score(0, 10, passes_from=6)),
    (
        "Lower is better here: rate verbosity from 1 (terse) to 10 (endless). Up to 4 is acceptable.",
        score(10, 1, 10, 1, passes_from=4),
    ),
    ("Estimate the hallucination rate in percent (0 to 100). Fail above 5.", score(100, 0, passes_from=5)),
    (
        "Verify each of these; all have to hold.\na) The refund is 40 EUR.\nb) It arrives in 3 to 5 "
        "days.\nc) There's an apology.",
        points(3),
    ),
    (
        "The agent:\n• never asks for the password\n• confirms the date of birth\n• reads back the order number",
        points(3),
    ),
    (
        "Expected behaviour -\n1/ asks which city\n2/ gives the forecast\n3/ suggests an umbrella if rain is likely",
        points(3),
    ),
    ("Q1: Does it name the plant? Q2: Does it say how often to water it? Q3: Does it avoid Latin?", points(3)),
    (
        "First of all it has to be written in Spanish; second, it needs to use usted; third, it "
        "must be under 60 words.",
        points(3),
    ),
    ("**Must have**\n- the price\n- the delivery date\n\n**Must not have**\n- a discount\n- slang", points(4)),
    ("The SQL answer is good if\n(a) it uses a CTE\n(b) it doesn't select *\n(c) it is formatted", points(3)),
    ("Ensure the following: the vendor is named; the amount is in EUR; the due date is given.", points(3)),
    ("Check 1 - The capital is Canberra.\nCheck 2 - Sydney is ruled out.\nCheck 3 - One sentence only.", points(3)),
    ("* The label is in Braille order, as in {{order}}\n* The label has no line longer than 40 characters", points(2)),
    ("Explains how the ELO rating changes after a game between a 1500 and a 1700 player.", PASS_OR_FAIL),
    ("Refuses to grade the essay and gives comments instead.", PASS_OR_FAIL),
    ("It's fine if the reply is 3 or more sentences long as long as it says no.", PASS_OR_FAIL),
    ("Mentions at least 3 of the following:\n- oats\n- rye\n- barley\n- wheat", PASS_OR_FAIL),
    ("The weather report gives the wind on the Beaufort scale from 0 to 12.", PASS_OR_FAIL),
    ("The bot has to ask for a rating (1-5) before it ends the chat.", PASS_OR_FAIL),
    ("Compares the two phones by points: 8/10 for the camera, 7/10 for the battery.", PASS_OR_FAIL),
    (
        "Assess how far the plan is feasible: 0 for not at all, 4 for entirely. 2 or more is a pass.",
        score(0, 4, 0, 4, passes_from=2),
    ),
    ("👎 = 0, 😐 = 1, 👍 = 2. Which one fits the joke?", score(0, 2, 0, 1, 2)),
    ("scale:\n  min: 1\n  max: 5\nquestion: Is the tone warm?\npass_at: 4", score(1, 5, passes_from=4)),
    (
        'Your answer has to follow this schema: {"score": {"type": "integer", "minimum": 0, '
        '"maximum": 10}}. It is about how concise the reply is.',
        score(0, 10),
    ),
    (
        "How many of the 6 house rules does the ad respect? Report the count; 5 or more passes.",
        score(0, 6, passes_from=5),
    ),
    ("The essay needs 7/10 to pass. Judge the argument.", score(0, 10, passes_from=7)),
    ("Judge legibility 1-5. Fails: 1-3. Passes: 4-5.", score(1, 5, passes_from=4)),
    ("Judge legibility 1-5; 4 is the cutoff.", score(1, 5, passes_from=4)),
    ("Judge legibility 1-5. Should be a 4 or a 5.", score(1, 5, passes_from=4)),
    ("Judge legibility 1-5, min. 3.", score(1, 5, passes_from=3)),
    ("Judge legibility 1-5. Only answers scoring 4+ are acceptable.", score(1, 5, passes_from=4)),
    ("School grade 1-6 (1 = sehr gut, 6 = ungenügend). Alles bis 3 ist bestanden.", score(6, 1, 6, 1, passes_from=3)),
    (
        "Severity of the worst error: 0 none, 1 cosmetic, 2 misleading, 3 dangerous. Rate it. "
        "Severity 2 and higher fails.",
        score(3, 0, 3, 2, 1, 0, passes_from=1),
    ),
    (
        "Rate the amount of jargon from 1 (none) to 5 (incomprehensible). A 2 or lower is fine.",
        score(5, 1, 5, 1, passes_from=2),
    ),
    (
        "How many errors per 100 words? Rate 0 (no errors) to 10 (errors everywhere); above 3 fails.",
        score(10, 0, 10, 0, passes_from=3),
    ),
    (
        "Scoring (max 10):\n- 4 pts: names the cause\n- 4 pts: names the fix\n- 2 pts: is polite\nPass: 6 pts",
        score(0, 10, passes_from=6),
    ),
    (
        "| Aspect | Max points |\n|---|---|\n| Facts | 5 |\n| Style | 3 |\n| Length | 2 |\nReport the sum. 7 passes.",
        score(0, 10, passes_from=7),
    ),
    (
        "2 points for each of the three required facts: river, year, bridge. Minimum to pass: 4 points.",
        score(0, 6, passes_from=4),
    ),
    (
        "Start with 0 points. +2 if the cause is right. +2 if the cure is right. +1 if the dose is "
        "right. At least 4 points are needed.",
        score(0, 5, passes_from=4),
    ),
    ("You have 20 points to distribute for the pitch; 12 are enough.", score(0, 20, passes_from=12)),
    ("Vergib je 1 Punkt für: Anrede, Datum, Unterschrift. Mindestens 2 Punkte.", score(0, 3, passes_from=2)),
    ("Score the label: all allergens named = 2, some named = 1, none named = 0.", score(0, 2, 0, 1, 2)),
    ("Output one of: 0, 0.25, 0.5, 0.75, 1 depending on how much of the checklist is done.", score(0, 1)),
    (
        "Return 1.0 for a perfect answer, 0.0 for a wrong one, and something in between for partly right.",
        score(0, 1, 0, 1),
    ),
    ("On a 1-10, how much would you enjoy this bedtime story? 6+ ships.", score(1, 10, passes_from=6)),
    ("Wie überzeugend ist der Werbetext? Skala: 1 (gar nicht) – 7 (sehr).", score(1, 7, 1, 7)),
    ("Évalue la politesse : de 0 (grossier) à 3 (exquis).", score(0, 3, 0, 3)),
    ("Nota del 1 al 10 para la receta. Con menos de 6, mal.", score(1, 10, passes_from=6)),
    ("Da un punteggio tra 0 e 5. Serve almeno 4.", score(0, 5, passes_from=4)),
    ("Pontue de 0 a 10. Precisa de 7.", score(0, 10, passes_from=7)),
    ("Score van 0 tot 10; alles onder de 6 is onvoldoende.", score(0, 10, passes_from=6)),
    ("<ul><li>Names the museum</li><li>Gives the price</li><li>Gives the opening hours</li></ul>", points(3)),
    ("Requirement A: the reply is in English. Requirement B: the reply names the tower.", points(2)),
    ("REQ-1: Output is valid YAML\nREQ-2: Keys are snake case\nREQ-3: No comments", points(3)),
    ("1.- Saluda al cliente\n2.- Da el plazo de entrega", points(2)),
    ("» names the ferry\n» names the pier\n» says it is free", points(3)),
    ("The letter is fine as long as\n- it names the debtor,\n- it names the sum and\n- it sets a deadline.", points(3)),
    ("Must do:\n  1. Confirm the flight number\n  2. Offer a voucher\nMust not do:\n  1. Blame the weather", points(3)),
    ("Here's the checklist for the lullaby:\n\n1 It rhymes\n2 It mentions the moon\n3 It has eight lines", points(3)),
    ("The coach tells the runner to rate effort on a scale of 1 to 10 after each lap.", PASS_OR_FAIL),
    ("The bill lists 3 items: 1 = soup, 2 = fish, 3 = tea.", PASS_OR_FAIL),
    ("The summary gives the film 3 or more stars only if the review does.", PASS_OR_FAIL),
    ("Mentions that grades run from 1 to 6 in Germany and that 1 is the best.", PASS_OR_FAIL),
    ("It explains how the game is scored: 2 points for a basket, 3 from outside.", PASS_OR_FAIL),
    ("The quiz master awards 1 point per right answer and announces the total out of 5.", PASS_OR_FAIL),
    (
        "The output is a valid answer when:\n\nA. the function is called parse_date;\nB. it returns "
        "None for bad input;\nC. there is a docstring.",
        points(3),
    ),
    (
        "Five things have to be in the handover: (1) patient's name, (2) diagnosis, (3) "
        "medication, (4) allergies, (5) next appointment.",
        points(5),
    ),
    ("The recap needs:\n→ decisions\n→ owners\n→ deadlines", points(3)),
    ("Does the bot\n  a) greet the caller by name?\n  b) read out the balance?\n  c) offer to repeat it?", points(3)),
    ("Expectations:\n\n1️⃣ names the artist\n2️⃣ names the year\n3️⃣ names the museum", points(3)),
    (
        "The answer follows our style guide:\n* British spelling\n* no exclamation marks\n* numbers below ten in words",
        points(3),
    ),
    (
        "To pass, the changelog has to\n- list the breaking change\n- name the migration command\n- "
        "thank the contributor",
        points(3),
    ),
    ("- [ ] explains what a stack is\n- [ ] explains what a queue is\n- [ ] compares the two", points(3)),
    ("Criteria (each is yes/no):\ni) in Italian\nii) formal\niii) at most 100 words", points(3)),
    ("The assistant picks one of the following:\n- Lisbon\n- Porto\n- Faro", PASS_OR_FAIL),
    ("The reply is based only on this menu:\n- Soup 5 EUR\n- Fish 12 EUR\n- Cake 4 EUR", PASS_OR_FAIL),
    ("The bot speaks like this:\n- Ahoy!\n- Shiver me timbers!", PASS_OR_FAIL),
    ("User profile:\n- vegan\n- allergic to nuts\n- cooks for two\n\nThe suggested dish suits the user.", PASS_OR_FAIL),
    ("Explains the difference between 1st, 2nd and 3rd person narration.", PASS_OR_FAIL),
    ("The tone is a 5 on our voice chart, i.e. playful; anything more serious fails.", PASS_OR_FAIL),
    ("The assistant doesn't reveal the rating the critic gave (4 out of 5 stars).", PASS_OR_FAIL),
    ("Scores of past matches aren't mentioned.", PASS_OR_FAIL),
    ("Grade inflation is explained with at least one figure from 2010 to 2020.", PASS_OR_FAIL),
    ("Points out that the contract runs from 1 to 3 years.", PASS_OR_FAIL),
    (
        "Consider the following aspects when you score the pitch from 1 to 10:\n- the hook\n- the "
        "numbers\n- the ask\nA pitch below 6 isn't shown to the board.",
        score(1, 10, passes_from=6),
    ),
    (
        "Assign a score:\n\n0.0–0.2: unusable\n0.3–0.5: needs a rewrite\n0.6–0.8: light edits\n0.9–1.0: "
        "publish as is\n\nScores of 0.6 and up are OK.",
        score(0, 1, passes_from=0.6),
    ),
    ("What mark out of 20 would you give this dissertation abstract? Ten is a pass.", score(0, 20, passes_from=10)),
    ("Grade: ___/50. 25 to pass.", score(0, 50, passes_from=25)),
    ("Rank the clarity on a 10 point scale, 10 being the clearest. 7s or better only.", score(1, 10, passes_from=7)),
    (
        "Using the numbers one to four, say how well the caption matches the picture (one: not at "
        "all, four: perfectly). I'm happy with three.",
        score(1, 4, passes_from=3),
    ),
    ("Tell me on a scale of 1 to 10 how natural the German sounds; I'd accept an 8.", score(1, 10, passes_from=8)),
    (
        "Score the answer.\n- 2 = correct and explained\n- 1 = correct only\n- 0 = incorrect\nThe test "
        "passes with 1 point.",
        score(0, 2, 0, 1, 2, passes_from=1),
    ),
    ("Rate truthfulness 0-10. Passing: 8/10.", score(0, 10, passes_from=8)),
    ("Rate truthfulness 0-10. 8 or above: pass. Otherwise: fail.", score(0, 10, passes_from=8)),
    ("Rate truthfulness 0-10. An 8, 9 or 10 passes.", score(0, 10, passes_from=8)),
    ("Rate truthfulness 0-10. Everything up to and including 7 fails.", score(0, 10, passes_from=8)),
    (
        "The ferry bot's answer:\n1. names the ferry pier\n\n2. gives the price of a ticket\n\n3. "
        "says that dogs travel free",
        points(3),
    ),
    (
        "All of these have to be in the reply:\n\n1) names the ferry pier\n2) gives the price of "
        "a ticket\n3) says that dogs travel free\n\nLength and tone play no role.",
        points(3),
    ),
    (
        "# Checklist\n(a) names the ferry pier\n(b) gives the price of a ticket\n(c) says that "
        "dogs travel free\n\nThe order doesn't matter.",
        points(3),
    ),
    (
        "For a PASS the answer needs all three:\n\n- names the ferry pier\n- gives the price of a "
        "ticket\n- says that dogs travel free\n\nAny miss is a fail.",
        points(3),
    ),
    (
        "Requirements the reply has to meet:\n1. names the ferry pier\n\n2. gives the price of a "
        "ticket\n\n3. says that dogs travel free\n\nFail if any of these is not met.",
        points(3),
    ),
    (
        "The user wants to take a dog on the ferry. A good reply:\n\n1) names the ferry pier\n2) "
        "gives the price of a ticket\n3) says that dogs travel free\n\nAll three are needed.",
        points(3),
    ),
    (
        "Mark the reply as correct if it does all of this:\n(a) names the ferry pier\n(b) gives "
        "the price of a ticket\n(c) says that dogs travel free\n\nReturn true if everything is "
        "fulfilled, else false.",
        points(3),
    ),
    (
        "It should do three things:\n\n- names the ferry pier\n- gives the price of a ticket\n- "
        "says that dogs travel free\n\nA single violation is enough to fail.",
        points(3),
    ),
    (
        "Ignore style. Only check these facts:\n1. names the ferry pier\n\n2. gives the price of "
        "a ticket\n\n3. says that dogs travel free\n\nBe strict.",
        points(3),
    ),
    (
        "Background for the grader:\n1) names the ferry pier\n2) gives the price of a ticket\n3) "
        "says that dogs travel free",
        PASS_OR_FAIL,
    ),
    (
        "The reply may mention any of these:\n1. The pier is named.\n2. The price is 4 EUR.\n3. Dogs travel free.",
        PASS_OR_FAIL,
    ),
    (
        "It repeats the user's list in the same order:\n1. names the ferry pier\n2. gives the "
        "price of a ticket\n3. says that dogs travel free",
        PASS_OR_FAIL,
    ),
    ("How clear is the manual, 1 (muddled) to 5 (crystal clear)? Pass at 4 or more.", score(1, 5, 1, 5, passes_from=4)),
    (
        "How clear is the manual, 1 (muddled) to 5 (crystal clear)? It passes with at least a 4.",
        score(1, 5, 1, 5, passes_from=4),
    ),
    (
        "How clear is the manual, 1 (muddled) to 5 (crystal clear)? Passing score = 4.",
        score(1, 5, 1, 4, 5, passes_from=4),
    ),
    (
        "How clear is the manual, 1 (muddled) to 5 (crystal clear)? Fail if the score is below 4.",
        score(1, 5, 1, 5, passes_from=4),
    ),
    (
        "How clear is the manual, 1 (muddled) to 5 (crystal clear)? Fail for 3 or less.",
        score(1, 5, 1, 5, passes_from=4),
    ),
    ("How clear is the manual, 1 (muddled) to 5 (crystal clear)? We require 4.", score(1, 5, 1, 5, passes_from=4)),
    (
        "How clear is the manual, 1 (muddled) to 5 (crystal clear)? 4 and 5 are OK, the rest isn't.",
        score(1, 5, 1, 5, passes_from=4),
    ),
    (
        "How clear is the manual, 1 (muddled) to 5 (crystal clear)? Score has to be above 3 to pass.",
        score(1, 5, 1, 5, passes_from=4),
    ),
    ("How clear is the manual, 1 (muddled) to 5 (crystal clear)? Threshold: 4", score(1, 5, 1, 5, passes_from=4)),
    (
        "How clear is the manual, 1 (muddled) to 5 (crystal clear)? To count as a success, the "
        "rating has to be four or five.",
        score(1, 5, 1, 5, passes_from=4),
    ),
    (
        "How clear is the manual, 1 (muddled) to 5 (crystal clear)? 4-5: pass, 1-3: fail.",
        score(1, 5, 1, 5, passes_from=4),
    ),
    (
        "How clear is the manual, 1 (muddled) to 5 (crystal clear)? pass is true when score ≥ 4, otherwise false",
        score(1, 5, 1, 5, passes_from=4),
    ),
    (
        "How clear is the manual, 1 (muddled) to 5 (crystal clear)? Consider it passed when the number is 4 or higher.",
        score(1, 5, 1, 5, passes_from=4),
    ),
    (
        "How clear is the manual, 1 (muddled) to 5 (crystal clear)? We'd be happy with a 4.",
        score(1, 5, 1, 5, passes_from=4),
    ),
    ("How clear is the manual, 1 (muddled) to 5 (crystal clear)? min score 4", score(1, 5, 1, 5, passes_from=4)),
    ("How clear is the manual, 1 (muddled) to 5 (crystal clear)? Release bar: 4.", score(1, 5, 1, 5, passes_from=4)),
    (
        "How clear is the manual, 1 (muddled) to 5 (crystal clear)? 4 is the lowest acceptable score.",
        score(1, 5, 1, 4, 5, passes_from=4),
    ),
    ("Bewerte die Klarheit von 1 bis 5. Unter 4 durchgefallen.", score(1, 5, passes_from=4)),
    ("Bewerte die Klarheit von 1 bis 5. Weniger als 4 ist zu wenig.", score(1, 5, passes_from=4)),
    ("Bewerte die Klarheit von 1 bis 5. Bestehensgrenze: 4", score(1, 5, passes_from=4)),
    ("Note la clarté de 1 à 5. À partir de 4, c'est réussi.", score(1, 5, passes_from=4)),
    ("Note la clarté de 1 à 5. Une note de 4 ou plus est acceptée.", score(1, 5, passes_from=4)),
    ("Note la clarté de 1 à 5. Note minimale : 4", score(1, 5, passes_from=4)),
    ("Puntúa la claridad del 1 al 5. Menos de 4 es suspenso.", score(1, 5, passes_from=4)),
    ("Puntúa la claridad del 1 al 5. El umbral es 4.", score(1, 5, passes_from=4)),
    ("Valuta la chiarezza da 1 a 5. Passa con almeno 4.", score(1, 5, passes_from=4)),
    ("Valuta la chiarezza da 1 a 5. Serve un 4 o più.", score(1, 5, passes_from=4)),
    ("Valuta la chiarezza da 1 a 5. Meno di 4 non basta.", score(1, 5, passes_from=4)),
    ("Avalie a clareza de 1 a 5. Abaixo de 4, reprovado.", score(1, 5, passes_from=4)),
    ("Avalie a clareza de 1 a 5. A partir de 4 está bom.", score(1, 5, passes_from=4)),
    ("Beoordeel de helderheid van 1 tot 5. Onder de 4 is onvoldoende.", score(1, 5, passes_from=4)),
    ("Beoordeel de helderheid van 1 tot 5. Minder dan 4 is gezakt.", score(1, 5, passes_from=4)),
    (
        "Rate the clarity of the manual.\n0: cannot be followed at all\n1: can be followed with "
        "a lot of guessing\n2: can be followed with some effort\n3: can be followed straight away",
        score(0, 3, 0, 1, 2, 3),
    ),
    (
        "Use one of these levels for the manual's clarity:\n\n0 = cannot be followed at all\n0.3 "
        "= can be followed with a lot of guessing\n0.7 = can be followed with some effort\n1 = "
        "can be followed straight away",
        score(0, 1, 0, 0.3, 0.7, 1),
    ),
    (
        "Bewerte die Anleitung:\n\nLevel 1: cannot be followed at all\nLevel 2: can be followed "
        "with a lot of guessing\nLevel 3: can be followed with some effort\nLevel 4: can be "
        "followed straight away",
        score(1, 4, 1, 2, 3, 4),
    ),
    (
        "Rate the clarity of the manual.\n| Score | Meaning |\n|---|---|\n| 4 | can be followed "
        "straight away |\n| 3 | can be followed with some effort |\n| 2 | can be followed with a "
        "lot of guessing |\n| 1 | cannot be followed at all |",
        score(1, 4, 1, 2, 3, 4),
    ),
    (
        "Judge the manual by this scale:\n\n0 = cannot be followed at all, 1 = can be followed "
        "with a lot of guessing, 2 = can be followed with some effort, 3 = can be followed "
        "straight away.",
        score(0, 3, 0, 1, 2, 3),
    ),
    (
        "Bewerte die Anleitung:\n\n0 → cannot be followed at all\n0.3 → can be followed with a "
        "lot of guessing\n0.7 → can be followed with some effort\n1 → can be followed straight away",
        score(0, 1, 0, 0.3, 0.7, 1),
    ),
    (
        "Rate the clarity of the manual.\nA 1 means that it cannot be followed at all. A 2 "
        "means that it can be followed with a lot of guessing. A 3 means that it can be "
        "followed with some effort. A 4 means that it can be followed straight away.",
        score(1, 4, 1, 2, 3, 4),
    ),
    (
        "Judge the manual by this scale:\n\nGive 4 if it can be followed straight away.\nGive 3 "
        "if it can be followed with some effort.\nGive 2 if it can be followed with a lot of "
        "guessing.\nGive 1 if it cannot be followed at all.",
        score(1, 4, 1, 2, 3, 4),
    ),
    (
        "Score the manual:\n\n0⭐ cannot be followed at all\n1⭐ can be followed with a lot of "
        "guessing\n2⭐ can be followed with some effort\n3⭐ can be followed straight away",
        score(0, 3, 0, 1, 2, 3),
    ),
    (
        "Bewerte die Anleitung:\n\nScore of 0: cannot be followed at all\nScore of 1: can be "
        "followed with a lot of guessing\nScore of 2: can be followed with some effort\nScore of "
        "3: can be followed straight away",
        score(0, 3, 0, 1, 2, 3),
    ),
    (
        "Scoring rubric for the manual\n0 (cannot be followed at all)\n0.3 (can be followed with "
        "a lot of guessing)\n0.7 (can be followed with some effort)\n1 (can be followed straight "
        "away)",
        score(0, 1, 0, 0.3, 0.7, 1),
    ),
    ("The number of guests, 1 to 10, is repeated in the confirmation.", PASS_OR_FAIL),
    ("The value of the resistor lies between 1 and 10 ohm.", PASS_OR_FAIL),
    ("The steps 1 to 4 of the manual are kept.", PASS_OR_FAIL),
    ("Mentions a range of 1 to 5 km.", PASS_OR_FAIL),
    ("The reader learns how to rate a film with 1 to 5 stars.", PASS_OR_FAIL),
    ("The assistant converts grades 1 to 6 into letters A to F.", PASS_OR_FAIL),
    ("The user's rating of 2 out of 5 is taken seriously.", PASS_OR_FAIL),
    ("The bonus is 0 to 10% depending on the grade of the employee.", PASS_OR_FAIL),
    ("The plan has a total of 100 points, of which 40 are for price.", PASS_OR_FAIL),
    ("Says how likely rain is, from 0 to 100 percent.", PASS_OR_FAIL),
    ("The game's difficulty, 1 (easy) to 5 (hard), is set to 3.", PASS_OR_FAIL),
    ("Summary mentions that the grading scale is 1 (best) to 6 (worst).", PASS_OR_FAIL),
    ("No score is given to the essay, only comments.", PASS_OR_FAIL),
    ("The generated config sets log_level to a number between 0 and 4.", PASS_OR_FAIL),
    ("Answers that the exam has 40 points and 20 are needed to pass.", PASS_OR_FAIL),
    ("The response shows the formula score = hits / total.", PASS_OR_FAIL),
    ("Describes the Likert scale (1 = strongly disagree, 5 = strongly agree) correctly.", PASS_OR_FAIL),
    ("The function returns 0 for failure and 1 for success.", PASS_OR_FAIL),
    ("The agent picks a number from 1 to 6, as if rolling a die.", PASS_OR_FAIL),
    ("Rate the amount of jargon: 1 = hardly any, 5 = every word. We want 2 or less.", score(5, 1, 5, 1, passes_from=2)),
    (
        "Score it:\nscore 1.0 if every claim of the note is in the chart\n"
        "score 0.5 if one claim of the note is not in it\nscore 0.0 if the note contradicts the chart",
        score(0, 1, 0, 0.5, 1),
    ),
    ("1- It names the plant\n2- It says when to water it\n3- It has no Latin", points(3)),
    ("The parser returns the temperature as a number from -1 to 1 with a reason.", PASS_OR_FAIL),
    (
        "Give it a severity between 0 and 3, where 0 is no damage and 3 is dangerous. 1 or below passes.",
        score(3, 0, 3, 0, passes_from=1),
    ),
)
"""Variations of each rule in other fields, words, languages and containers."""

BY_ANOTHER_SCALE = (
    "The agent's reply is judged on empathy. Report the grade.",
    "Give it an A, B, C, D or F.",
    "Rank it: poor, fair, good or excellent.",
    "Give partial credit: half a point where only the year is right.",
    "How many stars does the pancake recipe deserve?",
    "Rate politeness from 300 to 850.",
    "The pass mark is 70.",
    "Return a confidence value.",
    "The score should reflect how funny it is.",
    "+2 if it names the law, +1 if it names the article, -1 if it invents one.",
    "Evaluate on a scale of low, medium, high.",
    "Your output should be a float.",
    "Count the errors and output 10 minus the count.",
    "Please evaluate on a 1000 point basis.",
    "10/10 means perfect. 0/10 means useless. What does this deserve?",
)
"""Texts that ask for a score and name no scale that a rubric has."""

TEXTS = (
    *(*WITH_A_SCALE, *WITH_POINTS, *WITHOUT, *FURTHER),
    *(*ASKED_IN_OTHER_WAYS, *LISTED_IN_OTHER_WAYS, *WITH_NUMBERS_OF_OTHER_THINGS),
    *AS_OTHERS_WRITE_THEM,
    *IN_MORE_WAYS,
    *BY_GENERAL_RULES,
)
