/** Text from outside, made fit for a database and a log: no NUL, no half of a character, none without an end. */
import { hideCardNumbers } from "./Card.ts"
import { sha256Hex } from "./Digest.ts"
import { Absent, Accepted, Declined, type Enquiry, type Outcome, Report, Unknown } from "./Outcome.ts"

const LONGEST = 500

export const cleanText = (text: string): string => text.replaceAll("\u0000", "\uFFFD").toWellFormed()

/** The same for every text in plain data of any shape, names of fields included. */
const cleaned = (value: unknown): unknown => {
  if (typeof value === "string") return cleanText(value)
  if (Array.isArray(value)) return value.map(cleaned)
  if (value === null || typeof value !== "object") return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [cleanText(name), cleaned(one)]))
}

/** Null for a name that is too long: a part of it could be another name. */
export const cleanName = (name: string | null): string | null => {
  const clean = name === null ? null : cleanText(name)
  return clean === null || clean.length > LONGEST ? null : clean
}

/** Replaces a key that is too long by its digest. */
export const cleanKey = (key: string): string => {
  const clean = cleanText(key)
  return clean.length > LONGEST ? sha256Hex(clean) : clean
}

export const cleanWords = (words: string): string => {
  const clean = hideCardNumbers(cleanText(words))
  return clean.length <= LONGEST ? clean : `${clean.slice(0, LONGEST).toWellFormed()}…`
}

const cleanCode = ({ providerCode }: { readonly providerCode?: string }) =>
  providerCode === undefined ? {} : { providerCode: cleanWords(providerCode) }

const wordsOrNull = (words: string | null): string | null => (words === null ? null : cleanWords(words))

const cleanFields = <A>(fields: Readonly<Record<string, A>>) => cleaned(fields) as Readonly<Record<string, A>>

/** A movement whose id is too long for a name gets its digest: it has to stay the same with every report. */
const cleanMovements = ({ movements }: Pick<Report, "movements">) =>
  movements === undefined ? {} : { movements: movements.map(({ id, ...one }) => ({ id: cleanKey(id), ...one })) }

export const cleanReport = ({ providerPaymentId, providerStatus, reason, ...report }: Report): Report =>
  new Report({
    reason: wordsOrNull(reason),
    providerPaymentId: cleanName(providerPaymentId),
    providerStatus: wordsOrNull(providerStatus),
    ...report,
    ...cleanCode(report),
    ...cleanMovements(report),
    ...(report.providerData === undefined ? {} : { providerData: cleanFields(report.providerData) }),
    ...(report.waitsFor === undefined
      ? {}
      : { waitsFor: { ...report.waitsFor, actionData: cleanFields(report.waitsFor.actionData) } })
  })

export const cleanOutcome = (outcome: Outcome): Outcome => {
  switch (outcome._tag) {
    case "Accepted": {
      const { actionData, providerData, providerPaymentId, providerStatus, ...rest } = outcome
      return new Accepted({
        providerPaymentId: cleanName(providerPaymentId),
        providerStatus: wordsOrNull(providerStatus),
        actionData: cleanFields(actionData),
        providerData: cleanFields(providerData),
        ...rest,
        ...cleanMovements(outcome)
      })
    }
    case "Declined": {
      const { providerPaymentId: id = null, ...said } = outcome
      const providerPaymentId = cleanName(id)
      return new Declined({
        ...said,
        ...cleanCode(outcome),
        ...(providerPaymentId === null ? {} : { providerPaymentId }),
        reason: cleanWords(outcome.reason)
      })
    }
    case "Unknown":
      return new Unknown({ reason: cleanWords(outcome.reason) })
  }
}

export const cleanEnquiry = (enquiry: Enquiry): Enquiry => {
  switch (enquiry._tag) {
    case "Report":
      return cleanReport(enquiry)
    case "Absent":
      return new Absent()
    case "Unknown":
      return new Unknown({ ...enquiry, reason: cleanWords(enquiry.reason) })
  }
}
