// The theme's search finds every word that begins with a typed one, so an "a" finds "autorubric" and "aieval", and drowns
// what a question asks. Small words are left out before the question reaches the search.
const SMALL = new Set(("a an and are at be can could do does for from go goes has have how i if in is it its me my of on or our so "
  + "that the their them then there this to was we what when where which who why will with you your").split(" "));

function withoutSmallWords(question) {
  const words = question.split(/\s+/).filter((word) => word && !SMALL.has(word.toLowerCase()));
  return words.length ? words.join(" ") : question;
}

if (typeof Worker !== "undefined") {
  const QUERY = 2; // the kind of the message that carries a question
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (message, ...rest) {
    const isQuestion = message?.type === QUERY && typeof message.data === "string";
    return post.call(this, isQuestion ? { ...message, data: withoutSmallWords(message.data) } : message, ...rest);
  };
}
globalThis.withoutSmallWords = withoutSmallWords;
