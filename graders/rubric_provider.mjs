/**
 * Promptfoo's grading provider for `llm-rubric`, without a Python per verdict:
 *
 *   defaultTest: {options: {provider: {id: file://graders/rubric_provider.mjs, config: {judge: anthropic}}}}
 */
import { answerTo, plainData, providerNames } from './warm_session.mjs';

export default class RubricProvider {
  constructor(options = {}) {
    this.label = options.label;
    this.providerId = options.id ?? 'markscheme';
    this.options = { config: plainData(options.config) ?? {} };
  }

  id() {
    return this.providerId;
  }

  /** The verdict of an `llm-rubric`, whose value is a rubric's name or says what is required. */
  async callApi(prompt, context) {
    const asked = { prompt, options: this.options, context: contextSent(context) };
    try {
      const answer = await answerTo({ grader: 'provider', asked }, this.options.config.session);
      return answer.raised === undefined ? answer.given : { error: answer.raised };
    } catch (error) {
      return { error: error.message };
    }
  }
}

function contextSent(context) {
  const { vars, prompt } = context ?? {};
  return plainData({ vars: plainData(vars) ?? {}, prompt: plainData(prompt), provider: providerNames(context?.provider) });
}
