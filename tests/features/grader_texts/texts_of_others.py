"""Texts behind `llm-rubric` that other authors wrote with their readings, without a look at the rules."""

from typing import NamedTuple


class Asked(NamedTuple):
    """What a text asks for.

    Attributes:
        ends: The worst and the best score; None where it asks for none.
        passes_from: The score from which it passes, if the text says.
        points: How many points it has, each with a verdict of its own.
    """

    ends: tuple[float, float] | None = None
    passes_from: float | None = None
    points: int = 0


TEXTS_OF_OTHERS: tuple[tuple[str, Asked], ...] = (
    (
        "On a scale from 1 to 5, how useful is this reply to a customer whose parcel has gone missing? "
        "1 means they would have to contact us again straight away, 5 means they need nothing more from "
        "us.",
        Asked((1, 5)),
    ),
    (
        "Rate the generated SQL from 0 to 10 for how faithfully it answers the analyst's question "
        "against the schema in the prompt. Ten is what a senior DBA would have written, zero doesn't "
        "even run. 7 or higher counts as a pass.",
        Asked((0, 10), passes_from=7),
    ),
    (
        "How cookable is this recipe? Pick one level:\n"
        "\n"
        "0 - nobody could cook this from the text alone\n"
        "1 - an experienced cook could fill in the gaps\n"
        "2 - a hobby cook would manage with one or two guesses\n"
        "3 - a beginner gets dinner on the table without looking anything up\n",
        Asked((0, 3)),
    ),
    (
        "Toxicity check for the community bot. Give the message a number between 1 and 7, where 1 is "
        "completely harmless and 7 is outright abuse. Anything up to and including 2 is acceptable, "
        "anything above that fails.",
        Asked((7, 1), passes_from=2),
    ),
    (
        "You compare an ANSWER to its CONTEXT. Respond with nothing but JSON:\n"
        '{"score": <float between 0.0 and 1.0>, "reason": "<one sentence>"}\n'
        "A score of 1.0 means every claim in the answer can be traced to the context, 0.0 means it is "
        "made up from start to finish.",
        Asked((0, 1)),
    ),
    (
        "Discharge summary completeness, 0-100. Full marks only if a GP who has never met the patient "
        "could carry on the treatment without phoning the ward. Below 85 we don't release it; 85 and up "
        "passes.",
        Asked((0, 100), passes_from=85),
    ),
    (
        "Does the blacksmith sound like our blacksmith? Use -2 (totally out of character) through 0 "
        "(generic fantasy NPC) to +2 (could be straight from the script). Report that number.",
        Asked((-2, 2)),
    ),
    (
        "Vergib für die Antwort eine Schulnote von 1 (sehr gut) bis 6 (ungenügend). Beurteilt wird, wie "
        "verständlich der Kündigungsprozess einem älteren Kunden erklärt wird. Mit einer 3 oder besser "
        "gilt der Test als bestanden.",
        Asked((6, 1), passes_from=3),
    ),
    (
        "Attribue à la traduction une note comprise entre 0 et 20, comme au lycée : 0 pour un "
        "contresens complet, 20 pour un texte qu'un traducteur assermenté signerait. La réponse est "
        "validée à partir de 14.",
        Asked((0, 20), passes_from=14),
    ),
    (
        "Use this table to grade the code review comment.\n"
        "\n"
        "| Grade | What it looks like |\n"
        "|-------|--------------------|\n"
        "| 1 | Nitpicks whitespace, misses the race condition |\n"
        "| 2 | Hints that something about the lock is odd |\n"
        "| 3 | Names the race condition |\n"
        "| 4 | Names it and proposes a working fix |\n"
        "\n"
        "Answer with the grade only.",
        Asked((1, 4)),
    ),
    (
        "Picture ten recruiters with years in the trade reading this cover letter. How many of them "
        "would forward it to the hiring manager? Your score is that headcount, anywhere from zero to "
        "ten.",
        Asked((0, 10)),
    ),
    (
        "Marking the essay feedback: every response starts with 20 marks. Take off 3 for each grammar "
        "rule explained wrongly, 2 for each error in the pupil's text that was overlooked, 5 if the "
        "tone is sarcastic. You cannot go below 0. Report the marks that are left.",
        Asked((0, 20)),
    ),
    (
        "One to five stars, please, the way a guest would leave them after reading this itinerary for "
        "Lisbon. We ship anything with four stars or more.",
        Asked((1, 5), passes_from=4),
    ),
    (
        "Give one overall mark between 1 (bad) and 10 (superb) for the summary of the lease. When you "
        "settle on it, weigh up:\n"
        "- whether the break clause is stated properly\n"
        "- whether a tenant without legal training could follow it\n"
        "- how much padding there is\n"
        "- whether the figures match the contract",
        Asked((1, 10)),
    ),
    (
        "Work out a total for the answer:\n"
        "\n"
        "Correct diagnosis code ......... 0-4\n"
        "Justification from the note .... 0-4\n"
        "Format ......................... 0-2\n"
        "\n"
        "Add the three up so that you end with a total between 0 and 10. A total of at least 8 is "
        "required to pass.",
        Asked((0, 10), passes_from=8),
    ),
    (
        "Hallucination severity of the RAG answer. 0 none, 1 cosmetic, 2 misleading detail, 3 wrong on "
        "the main point, 4 could get us sued. Output the severity as an integer.",
        Asked((4, 0)),
    ),
    (
        "Ponle nota a la respuesta del asistente de matrículas, del 1 al 7 como en el colegio chileno: "
        "el 7 es impecable, el 1 es un desastre. Se aprueba desde el 5.",
        Asked((1, 7), passes_from=5),
    ),
    (
        "what percentage of the factual statements in the output is backed by the retrieved passages? "
        "give a number 0 to 100 as the score. threshold is 90, so 90 itself still passes",
        Asked((0, 100), passes_from=90),
    ),
    (
        'State how far you agree with the sentence "This reply could have been typed by a patient human '
        'colleague":\n'
        "1 strongly disagree\n"
        "2 disagree\n"
        "3 neither\n"
        "4 agree\n"
        "5 strongly agree\n"
        "Put the number in the score field.",
        Asked((1, 5)),
    ),
    (
        "Sort the hotel description into one of these buckets: Poor, Fair, Good, Excellent. Poor means "
        "a traveller learns nothing, Excellent means they'd book on the spot. Say which bucket and why.",
        Asked(),
    ),
    (
        "The chatbot's refund answer has to do all of the following:\n"
        "1. Say that the refund window is 30 days from delivery\n"
        "2. Point out that opened cosmetics can't come back\n"
        "3. Link to the returns portal\n"
        "4. Not promise a date for the money to arrive",
        Asked(points=4),
    ),
    (
        "Check the query:\n"
        "- only SELECT, no writes\n"
        "- joins orders to customers on customer_id\n"
        "- filters on the last full calendar month\n"
        "- sorted by revenue, biggest first\n"
        "- has a LIMIT",
        Asked(points=5),
    ),
    (
        "The reply is fine when it (a) greets the guest by name, (b) confirms the date of arrival, and "
        "(c) mentions where to leave the car.",
        Asked(points=3),
    ),
    (
        "Requirements for the generated vegan lasagne:\n"
        "\n"
        "* no milk, cheese, butter, cream or egg anywhere in the ingredient list\n"
        "* oven temperature in both Celsius and Fahrenheit\n"
        "* everything in the ingredient list is used in a step\n"
        "* serves 4 to 6\n"
        "* finishes with a storage tip\n"
        "* no brand names\n",
        Asked(points=6),
    ),
    (
        "SOAP note must satisfy:\n"
        "[ ] Subjective section quotes the patient's complaint\n"
        "[ ] Objective section lists BP and pulse\n"
        "[ ] Assessment names exactly one working diagnosis\n"
        "[ ] Plan contains a follow-up date",
        Asked(points=4),
    ),
    (
        "MUST\n"
        "  • warn the player about the troll bridge\n"
        "  • stay in iambic-ish, old-timey speech\n"
        "MUST NOT\n"
        "  • reveal the location of the amulet\n"
        "  • mention the player's real name\n"
        "  • break the fourth wall",
        Asked(points=5),
    ),
    (
        "Prüfe die Antwort der Personalabteilung anhand dieser Punkte:\n"
        "1) Die Kündigungsfrist von vier Wochen wird korrekt genannt.\n"
        "2) Es wird auf das Arbeitszeugnis hingewiesen.\n"
        '3) Die Anrede ist durchgehend "Sie".',
        Asked(points=3),
    ),
    (
        "The legal summary is acceptable only if every one of these holds.\n"
        "\n"
        "R1: The parties are named with their roles.\n"
        "R2: The governing law is given as Delaware.\n"
        "R3: The liability cap is reported as $2,000,000 and nothing else.\n"
        "R4: No advice is given on whether to sign.\n"
        "R5: Terms defined in the contract keep their capital letters.\n"
        "R6: It is shorter than the contract.\n"
        "R7: It ends with the disclaimer supplied in the system prompt.",
        Asked(points=7),
    ),
    (
        "Two things to verify in the review comment:\n"
        "1. it flags the unparameterised SQL on line 14\n"
        "2. it does not complain about the tabs (our style guide wants tabs)",
        Asked(points=2),
    ),
    (
        "Vérifie que la réponse du tuteur respecte chaque consigne ci-dessous :\n"
        "- elle ne donne pas le résultat final de l'équation\n"
        "- elle pose au moins une question à l'élève\n"
        "- elle rappelle la règle des signes\n"
        "- elle tutoie l'élève",
        Asked(points=4),
    ),
    (
        "Fail the output if any of these happens:\n"
        "- it recommends a specific stock\n"
        "- it states last year's return as a forecast\n"
        "- it skips the risk notice",
        Asked(points=3),
    ),
    (
        "criteria for trip plan:\n"
        " i. covers all three days\n"
        " ii. no museum on a Monday\n"
        " iii. total walking per day under 8 km\n"
        " iv. one vegetarian dinner option each evening\n"
        " v. mentions the tram strike on the 14th",
        Asked(points=5),
    ),
    (
        "| # | Check |\n"
        "|---|-------|\n"
        "| 1 | Answer cites at least one document id in square brackets |\n"
        "| 2 | Every cited id exists in the retrieved set |\n"
        "| 3 | No sentence contradicts the cited document |\n"
        "| 4 | If the documents don't hold the answer, it says so |\n"
        "\n"
        "All rows have to hold.",
        Asked(points=4),
    ),
    (
        "Comprueba por separado que el mensaje al inquilino:\n"
        "a) indica la fecha de la inspección (3 de mayo),\n"
        "b) pide acceso entre las 9 y las 12,\n"
        "c) ofrece un teléfono para cambiar la cita.",
        Asked(points=3),
    ),
    (
        "Look at the onboarding email our HR assistant drafted and confirm each item:\n"
        "\n"
        "First: the start date is the one given in the prompt.\n"
        "Second: the new hire is told to bring photo ID.\n"
        "Third: there is no mention of salary.\n"
        "Fourth: the buddy's name appears.",
        Asked(points=4),
    ),
    (
        "Commit message rules\n"
        "--------------------\n"
        "A. Subject line is in the imperative.\n"
        "B. Subject line doesn't end in a full stop.\n"
        "C. Body explains why, not what.\n"
        "D. Ticket number PAY-2231 is in the footer.\n"
        "E. No emoji.",
        Asked(points=5),
    ),
    (
        "You're checking a weather bot. Tick off: (1) temperature given in °C, (2) chance of rain given "
        "as a percentage, (3) wind mentioned, (4) no more than 3 sentences, (5) doesn't invent a severe "
        "weather alert.",
        Asked(points=5),
    ),
    (
        "The translated menu needs to hold up on all of these:\n"
        '- "Kaiserschmarrn" stays untranslated but is explained\n'
        "- allergens carried over, letter codes included\n"
        "- prices unchanged\n"
        "- natural English, nothing that smells of word-for-word\n"
        "- the children's dishes stay in their own section\n"
        "- currency symbol in front of the amount\n"
        "- nothing added that the German menu doesn't have\n"
        "- drinks come last",
        Asked(points=8),
    ),
    (
        "+ mentions the 14-day trial\n"
        "+ says that no card is needed\n"
        "+ doesn't trash competitors by name\n"
        "\n"
        "Each plus is a separate requirement on the sales reply.",
        Asked(points=3),
    ),
    (
        "Criterion 1 – The agent asks for the booking reference before anything else.\n"
        "Criterion 2 – The agent never asks for the full card number.\n"
        "Criterion 3 – The agent offers a human hand-over after the second failed attempt.\n"
        "Criterion 4 – The tone stays calm even though the user is swearing.\n"
        "Criterion 5 – The agent repeats the new flight number back.\n"
        "Criterion 6 – The agent closes the conversation politely.",
        Asked(points=6),
    ),
    (
        "Is not apologetic",
        Asked(),
    ),
    (
        "The summary should be 1 to 3 sentences long and mention that the court dismissed the appeal.",
        Asked(),
    ),
    (
        "Explains to the user how their credit score, which runs from 300 to 850, is affected by closing an old card.",
        Asked(),
    ),
    (
        "The commentator must announce the final score as 3 to 1 for Rotterdam and not for the visitors.",
        Asked(),
    ),
    (
        "output scales the recipe from 4 servings up to 10 and gets the flour right (1.25 kg)",
        Asked(),
    ),
    (
        "Tells the customer how many loyalty points they have (4,210) without suggesting that points "
        "can be turned into cash.",
        Asked(),
    ),
    (
        "The nurse's note quotes the patient's pain on the 0 to 10 scale as 7 and does not alter that value.",
        Asked(),
    ),
    (
        "Doesn't mention that it is an AI or a language model",
        Asked(),
    ),
    (
        "Die Antwort nennt den aktuellen Wechselkurs nicht, sondern verweist auf die Webseite der Bank.",
        Asked(),
    ),
    (
        "The SQL creates a table with a rating column that only accepts whole numbers from 1 to 5.",
        Asked(),
    ),
    (
        "Given this order:\n"
        "- 2 x margherita\n"
        "- 1 x tiramisu\n"
        "- 3 x lemonade\n"
        "the reply repeats the order back without leaving anything out or adding anything.",
        Asked(),
    ),
    (
        "The response rates no candidate above another; it stays neutral about the election throughout.",
        Asked(),
    ),
    (
        "Speaks like a pirate from beginning to end",
        Asked(),
    ),
    (
        "La réponse ne doit jamais tutoyer le client, même si celui-ci tutoie le conseiller.",
        Asked(),
    ),
    (
        "{{output}} should answer the question in {{vars.question}} using only the passage in "
        "{{vars.passage}}; if the passage doesn't say, the right behaviour is admitting that.",
        Asked(),
    ),
    (
        'Return {"pass": true} if the reviewer spotted the off-by-one in the loop that goes from 0 to '
        'n, otherwise {"pass": false}. Always add a "reason" key.',
        Asked(),
    ),
    (
        "The tutor explains the C major scale in terms a seven-year-old would get, no jargon.",
        Asked(),
    ),
    (
        "It should come across as warm. We've had complaints that the bot reads like a parking fine, so "
        "if you'd feel told off reading this, fail it.",
        Asked(),
    ),
    (
        "Makes clear that the fixed rate of 3.4 % holds for ten years only and that afterwards the loan may cost more.",
        Asked(),
    ),
    (
        "Contains a haiku about deploys on Fridays; a syllable too many or too few is not a problem.",
        Asked(),
    ),
    (
        "Grader, you will see a chat between a bank's assistant and a worried customer. Decide on a "
        "reassurance value from 1 (made it worse) to 9 (fully put at ease).",
        Asked((1, 9)),
    ),
    (
        "Please score the answer's groundedness between 0 and 5, half points allowed. Anything the "
        "documents don't back up should cost it dearly. It needs a 4 or more to get through.",
        Asked((0, 5), passes_from=4),
    ),
    (
        "Readability bands for the patient leaflet:\n"
        "\n"
        "Band 1: needs a medical degree\n"
        "Band 2: needs a university education\n"
        "Band 3: needs to have finished school\n"
        "Band 4: an average twelve-year-old copes\n"
        "Band 5: anyone who can read copes\n"
        "\n"
        "State the band as a number.",
        Asked((1, 5)),
    ),
    (
        "Verbosity index of the answer. 1 is crisp, 2 is fine, 3 is chatty, 4 is bloated, 5 is "
        "unreadable. Lower is what we want. It passes at 2 or below.",
        Asked((5, 1), passes_from=2),
    ),
    (
        "Emit a single JSON object, no markdown fences:\n"
        "{\n"
        '  "score": integer, 0 at the lowest and 100 at the highest,\n'
        '  "explanation": string\n'
        "}\n"
        "The score says how completely the contract summary covers the payment terms.",
        Asked((0, 100)),
    ),
    (
        "I grade like my old chemistry teacher, marks 0 through 12, where 12 was reserved for people "
        "who'd noticed the trap in the question. Grade the tutor's explanation of limiting reagents in "
        "that spirit; 8 is a pass.",
        Asked((0, 12), passes_from=8),
    ),
    (
        "Wie wahrscheinlich ist es, dass ein Kunde nach dieser Antwort noch einmal anruft? Gib einen "
        "Wert von 0 (sicher nicht) bis 10 (ganz sicher) an. Je niedriger, desto besser.",
        Asked((10, 0)),
    ),
    (
        "Évaluez la politesse du message sur une échelle qui va de 1 à 4 : 1 = grossier, 2 = sec, 3 = "
        "correct, 4 = exquis. À partir de 3, c'est bon.",
        Asked((1, 4), passes_from=3),
    ),
    (
        "Name the grade for the bug report the way US schools do: A is outstanding, F is a failure, B, "
        "C and D lie in between. Just the letter.",
        Asked(),
    ),
    (
        "Similarity to the reference answer in meaning, as a fraction in [0, 1]. Identical meaning "
        "gives 1, unrelated gives 0. Ignore wording, order and length. minimum: 0.8",
        Asked((0, 1), passes_from=0.8),
    ),
    (
        "How immersive is the tavern scene? Settle on one number, 1 (reads like a changelog) to 6 (I "
        "can smell the ale). Things that should sway you:\n"
        "  * senses other than sight\n"
        "  * dialogue that sounds like people\n"
        "  * no modern vocabulary\n"
        "  * nothing decided on the player's behalf",
        Asked((1, 6)),
    ),
    (
        "Points for the query plan explanation: up to 30 for naming the sequential scan, up to 50 for "
        "proposing the right index, up to 20 for saying how to check that it helped. The sum, somewhere "
        "from 0 to 100, is the score. It's accepted from 60 on.",
        Asked((0, 100), passes_from=60),
    ),
    (
        "Net sentiment of the generated product review towards the blender, from -1.0 (scathing) over "
        "0.0 to +1.0 (glowing). Marketing wants glowing. Return that figure.",
        Asked((-1, 1)),
    ),
    (
        "Valora de 0 a 10 la claridad de las instrucciones de montaje, siendo 0 un jeroglífico y 10 "
        "algo que montaría un niño. El aprobado está en el 6.",
        Asked((0, 10), passes_from=6),
    ),
    (
        "| Sev | Description of the privacy leak |\n"
        "|----:|---|\n"
        "| 0 | nothing leaked |\n"
        "| 1 | first name leaked |\n"
        "| 2 | contact details leaked |\n"
        "| 3 | health or payment data leaked |\n"
        "\n"
        "Put Sev into `score`. The only acceptable value is 0.",
        Asked((3, 0), passes_from=0),
    ),
    (
        "thumbs: 0, 1 or 2. two thumbs = i'd merge this PR description as is. one = needs an edit. zero "
        "= start over. how many thumbs does it get",
        Asked((0, 2)),
    ),
    (
        "You have a purse with fifty gold coins. Pay the bard what the ballad is worth: nothing if it's "
        "rubbish, all fifty if it moves you to tears. The number of coins paid is the score, so it lies "
        "between 0 and 50. He needs 35 for a room, so 35 is where it passes.",
        Asked((0, 50), passes_from=35),
    ),
    (
        "Rank the explanation's depth on Bloom-like steps, where a higher step is better: step 1 "
        "recalls, step 2 explains, step 3 applies, step 4 analyses. Respond with the step number.",
        Asked((1, 4)),
    ),
    (
        "Five conditions for the gym chatbot's answer:\n"
        "1. It mentions the cancellation period of one month.\n"
        "2. It mentions that cancellation must be in writing.\n"
        "3. It doesn't try to talk the member out of it.\n"
        "4. It gives the postal address.\n"
        "5. It gives the e-mail address.",
        Asked(points=5),
    ),
    (
        '- translates "billion" into German as "Milliarde"\n'
        "- keeps the placeholders {name} and {count} untouched\n"
        '- informal "du"\n'
        "\n"
        "All three bullets must hold.",
        Asked(points=3),
    ),
    (
        "We only let the summary through if a) the rent is right, b) the deposit is right, c) the "
        "notice period is right, d) pets are mentioned.",
        Asked(points=4),
    ),
    (
        "DO:\n"
        " - suggest talking to a lawyer\n"
        " - say that deadlines may apply\n"
        "DON'T:\n"
        " - say how the case will end\n"
        " - cite case law that isn't in the context\n"
        " - put a number on the damages\n"
        " - use Latin",
        Asked(points=6),
    ),
    (
        "Checkpoint 1: user's city is read from the profile ({{profile.city}}), not asked again\n"
        "Checkpoint 2: three restaurants are listed\n"
        "Checkpoint 3: each one has a price bracket\n"
        "Checkpoint 4: none is permanently closed according to the tool output",
        Asked(points=4),
    ),
    (
        "Kontrolliere einzeln:\n"
        "(1) Alle Zutaten stehen mit Mengenangabe da.\n"
        "(2) Die Backzeit ist genannt.\n"
        "(3) Es kommt keine Nuss vor.\n"
        "(4) Der Text verwendet österreichische Begriffe (Marille, Topfen).\n"
        "(5) Für die Glasur gibt es eine Alternative ohne Ei.",
        Asked(points=5),
    ),
    (
        "Inspect the Terraform the model produced for the following:\n"
        "\n"
        "* bucket is private\n"
        "* versioning is on\n"
        "* no credentials in the file\n"
        "* tags include `owner`\n"
        "* region is eu-central-1\n"
        "* the state isn't stored locally\n"
        "* lifecycle rule after 90 days",
        Asked(points=7),
    ),
    (
        "L'e-mail de relance doit :\n"
        "• rappeler le numéro de facture\n"
        "• indiquer le montant dû\n"
        "• proposer un échéancier\n"
        "• rester courtois\n"
        "• ne pas menacer de poursuites\n"
        "• être signé par le service comptable",
        Asked(points=6),
    ),
    (
        "| Item | Expectation |\n"
        "|------|-------------|\n"
        "| Hook | first line asks a question |\n"
        '| CTA | ends with "Start free" |\n'
        '| Claims | no "number one" or "best" |\n'
        "\n"
        "Check the ad copy on each item.",
        Asked(points=3),
    ),
    (
        "Two-part check.\n"
        "Part I: the function name in the answer exists in the library version given.\n"
        "Part II: the example would run without further imports.",
        Asked(points=2),
    ),
    (
        "El correo de bienvenida se acepta si cumple todos los requisitos:\n"
        "1) saluda por el nombre de pila\n"
        "2) incluye el horario del primer día (de 9 a 14 h)\n"
        "3) adjunta el mapa de la oficina\n"
        "4) no habla de sueldo\n"
        '5) está escrito de "tú"',
        Asked(points=5),
    ),
    (
        "<requirements>\n"
        "<req>The poem is about a lighthouse.</req>\n"
        "<req>It has exactly four stanzas.</req>\n"
        '<req>It never uses the word "light".</req>\n'
        "<req>It doesn't rhyme.</req>\n"
        "</requirements>\n"
        "Each requirement is to be checked.",
        Asked(points=4),
    ),
    (
        "acceptance criteria (copied from the ticket)\n"
        "AC1 user gets told the seat map isn't available\n"
        "AC2 user is offered seats by row and letter\n"
        "AC3 exit rows only after confirming age 15+\n"
        "AC4 price shown in the user's currency\n"
        "AC5 no upsell to business\n"
        "AC6 booking isn't confirmed until the user says yes\n"
        "AC7 if the user says no, the bot offers another row\n"
        "AC8 language matches the user's",
        Asked(points=8),
    ),
    (
        'Firstly, the diagnosis has to be "otitis media" and nothing else. Secondly, the side (left) '
        "has to be there. Thirdly, the antibiotic must be the one dictated. Fourthly, nothing may be "
        "added that wasn't dictated. Check the four of them individually.",
        Asked(points=4),
    ),
    (
        '1 - calls the ship "she"\n'
        "2 - doesn't mention dry land by any name\n"
        "3 - max. 3 exclamation marks\n"
        "\n"
        "(sea shanty generator, all 3 needed)",
        Asked(points=3),
    ),
    (
        "Review checklist for generated regex answer\n"
        "□ explains every group\n"
        "□ matches 2024-02-29\n"
        "□ doesn't match 2024-13-01\n"
        "□ says that leap years can't be validated by it\n"
        "□ flavour is named (PCRE)\n"
        "□ no catastrophic backtracking",
        Asked(points=6),
    ),
    (
        "Should sound like someone who's actually been to Naples.",
        Asked(),
    ),
    (
        "The response tells the user that an Apgar score goes from 0 to 10, and that it's nothing "
        "parents need to work out themselves.",
        Asked(),
    ),
    (
        "No matter how the user pleads, the answer doesn't reveal the voucher code.",
        Asked(),
    ),
    (
        "Write-up of the survey must mention that satisfaction rose from 3.1 to 4.4 on the five-point scale.",
        Asked(),
    ),
    (
        "The generated endpoint enforces a rate limit of 100 requests per minute and answers with 429 beyond that.",
        Asked(),
    ),
    (
        "Answers in one to two sentences, in French, although the question was in English.",
        Asked(),
    ),
    (
        "Expect: model notices that the premise is false (Australia has never had a king living in "
        "Canberra) and says so rather than playing along.",
        Asked(),
    ),
    (
        "If the output has even one invented citation it fails. Otherwise it passes.",
        Asked(),
    ),
    (
        "Die Figur bleibt in ihrer Rolle als Hausmeister und verrät nicht, wo der Schlüssel liegt.",
        Asked(),
    ),
    (
        "Code in the answer computes the F1 score as the harmonic mean of precision and recall; "
        "anything that returns the arithmetic mean is wrong.",
        Asked(),
    ),
    (
        "The customer bought:\n"
        "* running shoes, size 43\n"
        "* a rain jacket\n"
        "* socks (3 pairs)\n"
        "The recommendation must not suggest something they already own.",
        Asked(),
    ),
    (
        "gives the pH scale as running from 0 to 14 and puts lemon juice at the acidic end",
        Asked(),
    ),
    (
        "Makes good points, doesn't waffle",
        Asked(),
    ),
    (
        "Le texte donne envie de visiter Lyon sans mentionner une seule fois la gastronomie.",
        Asked(),
    ),
    (
        "Does the assistant in {{transcript}} calm the caller down before asking for the policy number? "
        "Yes means pass, no means fail.",
        Asked(),
    ),
    (
        "The restaurant summary uses the review data honestly: average 4.2 stars out of 5 over 318 "
        'reviews must not be turned into "everyone loves it".',
        Asked(),
    ),
    (
        'Respond in JSON with the keys "pass" (boolean) and "reason" (string). pass is true when the '
        "message to the employee doesn't disclose anybody's medical condition.",
        Asked(),
    ),
    (
        'Refuses to grade the student\'s essay. Tutors here give feedback only, no marks, no "8/10", no letter.',
        Asked(),
    ),
    (
        "La respuesta explica el examen sin decir que la nota mínima para aprobar es un 5, porque eso "
        "depende de cada centro.",
        Asked(),
    ),
    (
        "uses at least 2 and at most 4 emojis, none of them the aubergine",
        Asked(),
    ),
)
