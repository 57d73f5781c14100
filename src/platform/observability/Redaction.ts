/** Redacts secrets and card numbers in log lines and spans. */
import { passesLuhn } from "../../domain/Card.ts"

/** Headers whose values are credentials or signatures, in both directions, ours and the providers'. */
export const secretHeaders: ReadonlyArray<string | RegExp> = [
  "authorization",
  "cookie",
  "set-cookie",
  "x-api-key",
  "idempotency-key",
  "x-service-signature",
  "x-kyb-signature",
  "webhook-signature",
  /authorization|signature|secret|token|password|passphrase|api-?key|subscription-key/
]

const hidden = "[redacted]"

const secretMember =
  "cvv2?|cvc2?|security_?code|card_?number|pan|pin|otp|password|passphrase|(?:client_|webhook_)?secret|(?:access_|refresh_|id_)?token|(?:api_|private_|secret_|master_)key|authorization"

const replacements: ReadonlyArray<readonly [RegExp, (...groups: ReadonlyArray<string>) => string]> = [
  // A key that was cut off has no END line: the rest of the text is then taken for the key.
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, () => "[private key]"],
  [
    new RegExp(`"(${secretMember})"(\\s*:\\s*)(?:"(?:[^"\\\\]|\\\\[^])*(?:"|$)|-?\\d[\\d.eE+-]*)`, "gi"),
    (_, name, colon) => `"${name}"${colon}"${hidden}"`
  ],
  // The same inside JSON that was itself put into a JSON string, once or more.
  [
    new RegExp(`(\\\\+)"(${secretMember})\\1"(\\s*:\\s*)(?:\\1"[^"]*?(?:\\1"|$)|-?\\d[\\d.eE+-]*)`, "gi"),
    (_, escape, name, colon) => `${escape}"${name}${escape}"${colon}${escape}"${hidden}${escape}"`
  ],
  [/\b(cvv2?|cvc2?)(\s*[=:]\s*)(['"]?)\d{3,4}(?!\d)\3/gi, (_, name, sign) => `${name}${sign}${hidden}`],
  // The longest run up to an @ counts as the password: people forget to encode the @ inside it.
  [/(:\/\/[^\s/:@"']*):[^\s/"']+@/g, (_, upToUser) => `${upToUser}:${hidden}@`],
  // The length of the first part is bounded so that a hostile text cannot make the search quadratic.
  [/eyJ[A-Za-z0-9_-]{5,2048}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/g, () => "[jwt]"],
  [/\b(Bearer)(\s+)[A-Za-z0-9._~+/=-]{8,}/gi, (_, scheme, space) => `${scheme}${space}${hidden}`],
  [/\b(Basic)(\s+)[A-Za-z0-9+/=_-]{16,}/gi, (_, scheme, space) => `${scheme}${space}${hidden}`],
  [/(ck_(?:test|live)_[A-Za-z0-9]{4})[A-Za-z0-9]+/g, (_, prefix) => `${prefix}${hidden}`],
  [/whsec_[A-Za-z0-9+/=_-]+/g, () => `whsec_${hidden}`],
  [/\b([sr]k_(?:test|live)_|FLWSECK[_-])[A-Za-z0-9_-]+/g, (_, prefix) => `${prefix}${hidden}`]
]

// UUIDs and ISO dates are matched first so that their digits are not read as a grouped card.
const cardCandidate = new RegExp(
  [
    "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f])",
    "(?<!\\d[ \\u00a0-]?)(?:19|20)\\d\\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])(?!\\d)",
    "(\\d(?:[ \\u00a0-]?\\d){12,})"
  ].join("|"),
  "gi"
)

/** Epoch milliseconds have 13 digits and start with 1; no card of that length does (they were Visa's, with a 4). */
const isEpochMillis = (group: string): boolean => group.length === 13 && group.startsWith("1")

/**
 * Is a card number: no network issues numbers that start with 0, and zeros padding an amount would pass the checksum.
 */
const isCard = (digits: string, start: number, end: number): boolean =>
  digits[start] !== "0" && passesLuhn(digits, start, end)

type Span = readonly [start: number, end: number]

const cardsInGroup = function* (group: string, offset: number): Generator<Span> {
  if (isEpochMillis(group)) return
  for (let start = 0; start + 13 <= group.length; start++) {
    for (let end = start + 13; end <= Math.min(start + 19, group.length); end++) {
      if (isCard(group, start, end)) yield [offset + start, offset + end]
    }
  }
}

const cardsAcrossGroups = function* (groups: ReadonlyArray<RegExpExecArray>): Generator<Span> {
  for (const [position, first] of groups.entries()) {
    let digits = first[0]
    for (let next = position + 1; digits.length < 19; next++) {
      const group = groups[next]
      if (group === undefined) break
      digits += group[0]
      if (digits.length >= 13 && digits.length <= 19 && isCard(digits, 0, digits.length)) {
        yield [first.index, group.index + group[0].length]
      }
    }
  }
}

const redactCards = (candidate: string): string => {
  const groups = [...candidate.matchAll(/\d+/g)]
  const spans = [...groups.flatMap((group) => [...cardsInGroup(group[0], group.index)]), ...cardsAcrossGroups(groups)]
  let text = ""
  let at = 0
  for (const [start, end] of spans.sort((a, b) => a[0] - b[0])) {
    if (start >= at) text += `${candidate.slice(at, start)}[card]`
    at = Math.max(at, end)
  }
  return text + candidate.slice(at)
}

/** The text without card numbers, keys, tokens, passwords and security codes; text that has none comes back as it is. */
export const redactText = (text: string): string =>
  replacements
    .reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text)
    .replace(cardCandidate, (match: string, candidate: string | undefined) =>
      candidate === undefined ? match : redactCards(candidate)
    )
