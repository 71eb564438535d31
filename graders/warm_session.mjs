/**
 * Asks markscheme's warm session from Node, for the graders in this folder.
 *
 * Promptfoo loads these modules into its own process, so a verdict costs a message over a socket instead of a Python of
 * its own. One Python per evaluation finds or starts the session; where there can be none, each output is graded in a
 * Python of its own, as the graders in Python do.
 */
import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = path.dirname(fileURLToPath(import.meta.url));
const SILENCE_MS = 5_000; // a session sends a heartbeat every second
const LONGEST_SILENCE_MS = 30_000; // for a process that is running, and may be loading a model
const ATTEMPTS = 2; // the session at hand, and one that replaces it; then the graders in Python know more ways out
const LONGEST_PYTHON_MS = 15_000; // for a Python to say its version
const TOO_DEEP = 200; // levels of nesting that no test has, and JSON.stringify can still write

const HELPER = 'markscheme.promptfoo.from_node';
const CANDIDATES = ['python', 'python3'];
const WAY_OUT = 'set PROMPTFOO_PYTHON to the Python in which markscheme is installed';

const sessions = new Map(); // by the wish, a promise of the session, for the environment below
const waiting = new Set(); // of each request under way, what refuses it
const endings = new Set(); // of each connection to a session and each Python, what ends it
let environmentOfSessions = '';
let pythonPromise;
let hasWarned = false;
let interruptions = 0;

/**
 * The answer to a request: `{given}` or `{raised}`, as the graders in Python compute it.
 *
 * @param {{grader: string, asked: object}} request what is asked, as plain data
 * @param {unknown} wish the value of `config.session`
 * @throws {InterruptedError} by Ctrl-C
 * @throws {Error} markscheme cannot be run; the message opens with "not graded:"
 */
export function answerTo(request, wish) {
  return untilInterrupted(() => answerOf(request, wish));
}

async function answerOf(request, wish) {
  const before = interruptions;
  const message = { ...request, folder: FOLDER, wish: readableWish(wish) };
  for (let attempt = 0; message.wish !== 'off' && attempt < ATTEMPTS; attempt += 1) {
    const session = await sessionFor(message.wish);
    if (!session.place) {
      if (!session.off) {
        warnOnce('no session can be started here');
      }
      break;
    }
    try {
      return await exchange(session, request);
    } catch (error) {
      if (interruptions !== before) {
        throw error;
      }
      await forget(message.wish, session);
      if (attempt === ATTEMPTS - 1) {
        warnOnce(`the session doesn't answer (${error.message})`);
      }
    }
  }
  return runHelper('answer', message);
}

/** Plain data without functions, cycles and what JSON can't hold; a provider is reduced to its id and label. */
export function plainData(value, parents = []) {
  if (typeof value === 'bigint') {
    return value.toString();
  }
  if (typeof value === 'function' || typeof value === 'symbol') {
    return undefined;
  }
  if (value === null || typeof value !== 'object') {
    return value;
  }
  if (parents.includes(value) || parents.length > TOO_DEEP) {
    return undefined;
  }
  if (typeof value.toJSON === 'function') {
    return plainData(value.toJSON(), [...parents, value]);
  }
  const within = [...parents, value];
  if (Array.isArray(value)) {
    return value.map((item) => plainData(item, within) ?? null);
  }
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, item]) => [key, plainData(item, within)])
      .filter(([, item]) => item !== undefined),
  );
}

/** A provider's id and label: the rest may hold keys, and no grader reads it. */
export function providerNames(provider) {
  if (provider === null || typeof provider !== 'object') {
    return typeof provider === 'string' ? provider : undefined;
  }
  const id = typeof provider.id === 'function' ? provider.id() : provider.id;
  return { id: plainData(id), label: plainData(provider.label) };
}

/** Ctrl-C came before the answer. */
export class InterruptedError extends Error {}

/** `auto`, `off` or the path of a socket; off where it is none of them, so that the error is reported. */
function readableWish(wish) {
  if (wish === undefined || wish === null) {
    return 'auto';
  }
  return typeof wish === 'string' ? wish : 'off';
}

/** The session of this environment: one Python finds or starts it for all requests of the evaluation. */
async function sessionFor(wish) {
  const environment = environmentNow();
  if (environment !== environmentOfSessions) {
    environmentOfSessions = environment;
    pythonPromise = undefined;
    sessions.clear();
  }
  if (!sessions.has(wish)) {
    sessions.set(wish, runHelper('find', { folder: FOLDER, wish }));
  }
  const finding = sessions.get(wish);
  try {
    return await finding;
  } catch (error) {
    if (sessions.get(wish) === finding) {
      sessions.delete(wish);
    }
    throw error;
  }
}

/** What a program may change between two evaluations: its working directory, and what a judge may read there. */
function environmentNow() {
  return JSON.stringify([process.cwd(), process.env]);
}

/** Forgets a session that failed, unless another request has already found its successor. */
async function forget(wish, session) {
  if ((await sessions.get(wish)) === session) {
    sessions.delete(wish);
  }
}

function warnOnce(why) {
  if (!hasWarned) {
    hasWarned = true;
    process.stderr.write(`markscheme: ${why}; each such output is graded in a Python of its own\n`);
  }
}

// --- Ctrl-C ----------------------------------------------------------------------------------------------------------

/** What `work` resolves to; rejects at once with Ctrl-C, for which Promptfoo waits ten seconds where a judge hangs. */
function untilInterrupted(work) {
  return new Promise((resolve, reject) => {
    if (waiting.size === 0) {
      process.on('SIGINT', interrupt);
    }
    waiting.add(reject);
    work()
      .then(resolve, reject)
      .finally(() => {
        waiting.delete(reject);
        if (waiting.size === 0) {
          process.off('SIGINT', interrupt);
        }
      });
  });
}

function interrupt() {
  interruptions += 1;
  waiting.forEach((refuse) => refuse(new InterruptedError('not graded: interrupted')));
  endings.forEach((end) => end());
  if (process.listenerCount('SIGINT') === 1) {
    process.exit(130); // nobody else ends the program, which it would do without us
  }
}

// --- the session ------------------------------------------------------------------------------------------------------

/** The answer of the session; rejects where it refuses, has gone, or falls silent. */
async function exchange(session, request) {
  checkOwner(session.place);
  const text = await conversation(session, JSON.stringify({ key: session.key, request }));
  const { answer } = JSON.parse(text);
  if (answer === null || typeof answer !== 'object') {
    throw new Error('the session refused the request');
  }
  return answer;
}

/** Refuses a socket of another user, or one in a folder that others can write to. */
function checkOwner(place) {
  const user = process.getuid();
  const socket = fs.lstatSync(place);
  const folder = fs.lstatSync(path.dirname(place));
  const isPrivate = folder.isDirectory() && folder.uid === user && (folder.mode & 0o077) === 0;
  if (!socket.isSocket() || socket.uid !== user || !isPrivate) {
    throw new Error(`the socket ${place} is not this user's alone`);
  }
}

function conversation(session, message) {
  return new Promise((resolve, reject) => {
    const parts = [];
    let silentMs = 0;
    const connection = net.connect({ path: session.place, allowHalfOpen: true });
    const end = () => connection.destroy();
    endings.add(end);
    connection.setTimeout(SILENCE_MS);
    connection.on('connect', () => connection.end(message));
    connection.on('data', (part) => {
      silentMs = 0;
      parts.push(part);
    });
    connection.on('timeout', () => {
      silentMs += SILENCE_MS;
      if (silentMs >= LONGEST_SILENCE_MS || isHalted(session.pid)) {
        connection.destroy(new Error('the session fell silent'));
      } else {
        connection.setTimeout(SILENCE_MS);
      }
    });
    connection.on('error', reject);
    connection.on('end', () => resolve(Buffer.concat(parts).toString('utf8')));
    connection.on('close', () => {
      endings.delete(end);
      reject(new Error('the session closed the connection'));
    });
  });
}

/** Whether a process was stopped or has ended, where the system can say. */
function isHalted(pid) {
  try {
    const about = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return 'TtZX'.includes(about.slice(about.lastIndexOf(') ') + 2, about.lastIndexOf(') ') + 3));
  } catch {
    return fs.existsSync('/proc/self');
  }
}

// --- Python -----------------------------------------------------------------------------------------------------------

/** What the helper in Python answers to a message, which it reads from standard input: no key stands in an argument. */
async function runHelper(task, message) {
  const python = await (pythonPromise ??= findPython());
  let ended;
  try {
    ended = await run(python, ['-P', '-m', HELPER, task], JSON.stringify(message));
  } catch (error) {
    pythonPromise = undefined;
    throw new Error(`not graded: ${python} cannot be run (${error.code ?? error.message}); ${WAY_OUT}`);
  }
  const { status, output, errors } = ended;
  if (status === 0) {
    return JSON.parse(output);
  }
  const lastLine = errors.trim().split('\n').at(-1) ?? '';
  if (errors.includes('No module named') && errors.includes('markscheme')) {
    pythonPromise = undefined;
    throw new Error(
      `not graded: markscheme cannot be imported by ${python} (${lastLine}); install it there, or ${WAY_OUT}`,
    );
  }
  throw new Error(`not graded: ${lastLine || `${python} ended with ${status}`}`);
}

/** The Python that Promptfoo runs: PROMPTFOO_PYTHON, else the first of CANDIDATES that can be run. */
async function findPython() {
  if (process.env.PROMPTFOO_PYTHON) {
    return process.env.PROMPTFOO_PYTHON;
  }
  for (const candidate of CANDIDATES) {
    if (await runs(candidate)) {
      return candidate;
    }
  }
  pythonPromise = undefined;
  throw new Error(`not graded: no Python can be run as ${CANDIDATES.join(' or ')}; ${WAY_OUT}`);
}

function runs(python) {
  return new Promise((resolve) => {
    execFile(python, ['--version'], { timeout: LONGEST_PYTHON_MS }, (error) => resolve(error === null));
  });
}

function run(command, parameters, input) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, parameters, { stdio: ['pipe', 'pipe', 'pipe'] });
    const end = () => child.kill();
    endings.add(end);
    const output = [];
    const errors = [];
    child.stdout.on('data', (part) => output.push(part));
    child.stderr.on('data', (part) => errors.push(part));
    child.stdin.on('error', () => {}); // it may end before it has read all; its status says why
    child.on('error', reject);
    child.on('close', (status) => {
      endings.delete(end);
      resolve({ status, output: Buffer.concat(output).toString('utf8'), errors: Buffer.concat(errors).toString('utf8') });
    });
    child.stdin.end(input);
  });
}
