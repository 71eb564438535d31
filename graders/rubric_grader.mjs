/**
 * Promptfoo's assertion without a Python per verdict:
 *
 *   {type: python, value: file://graders/rubric_grader.mjs, config: {rubric: NAME}}
 *
 * `type: python` keeps Python's rules for `threshold` and `not-`; Promptfoo still runs this module in its own process.
 * `file://graders/rubric_grader.mjs:NAME` names the rubric after the file.
 */
import { InterruptedError, answerTo, plainData, providerNames } from './warm_session.mjs';

const SENT = ['vars', 'config', 'test', 'prompt', 'trace', 'rubricName'];
const NOT_GRADED = 'not graded: ';
const SCORING = 'assertScoringFunction'; // a function, which plain data leaves out
const NOT_RUBRICS = new Set(['then', 'default', ...Object.getOwnPropertyNames(Object.prototype)]);

/** The grading result for one output. */
async function getAssert(output, context) {
  const wish = context?.config?.session;
  const asked = { output: plainData(output) ?? null, context: contextSent(context) };
  let answer;
  try {
    answer = await answerTo({ grader: 'assertion', asked }, wish);
  } catch (error) {
    if (error instanceof InterruptedError || mayBeNegated(context)) {
      throw error;
    }
    const reason = error.message.startsWith(NOT_GRADED) ? error.message : `${NOT_GRADED}${error.message}`;
    return { pass: false, score: 0, reason };
  }
  if (answer.raised !== undefined) {
    throw new Error(answer.raised);
  }
  return answer.given;
}

/** The parts of Promptfoo's context that a verdict can depend on. */
function contextSent(context) {
  const sent = {};
  for (const name of SENT) {
    const value = plainData(context?.[name]);
    if (value !== undefined) {
      sent[name] = value;
    }
  }
  if (typeof context?.test?.[SCORING] === 'function') {
    sent.test = { ...sent.test, [SCORING]: true };
  }
  sent.provider = providerNames(context?.provider);
  return sent;
}

/** A negated assertion would turn a failing result into a pass; one behind a reference or in a file may be negated. */
function mayBeNegated(context) {
  return /not-|"\$ref"|"assert":"/.test(JSON.stringify(contextSent(context)));
}

export { getAssert as get_assert };

/** A function that also answers every rubric's name: `rubric_grader.mjs:support-reply` grades by that rubric. */
export default new Proxy(getAssert, {
  get(target, name, receiver) {
    if (typeof name !== 'string' || NOT_RUBRICS.has(name) || name in Function.prototype) {
      return name === 'default' || name === 'then' ? undefined : Reflect.get(target, name, receiver);
    }
    if (name === 'get_assert') {
      return target;
    }
    return (output, context) => target(output, { ...context, rubricName: name });
  },
});
