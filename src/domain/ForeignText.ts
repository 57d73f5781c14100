/** Text from outside, made fit for a database and a log: no NUL, no half of a character, no endless reason. */
import { Absent, Accepted, Declined, type Enquiry, type Outcome, Report, Unknown } from "./Outcome.ts"

const LONGEST_REASON = 500

export const cleanText = (text: string): string => text.replaceAll("\u0000", "\uFFFD").toWellFormed()

/** The same for every text in plain data of any shape, names of fields included. */
const cleaned = (value: unknown): unknown => {
  if (typeof value === "string") return cleanText(value)
  if (Array.isArray(value)) return value.map(cleaned)
  if (value === null || typeof value !== "object") return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [cleanText(name), cleaned(one)]))
}

const cleanId = (id: string | null): string | null => (id === null ? null : cleanText(id))

const cleanReason = (reason: string): string => {
  const clean = cleanText(reason)
  return clean.length <= LONGEST_REASON ? clean : `${clean.slice(0, LONGEST_REASON).toWellFormed()}…`
}

/** What a provider calls a refusal. */
const cleanCode = ({ providerCode }: { readonly providerCode?: string }) =>
  providerCode === undefined ? {} : { providerCode: cleanReason(providerCode) }

const cleanFields = <A>(fields: Readonly<Record<string, A>>) => cleaned(fields) as Readonly<Record<string, A>>

export const cleanReport = (report: Report): Report =>
  new Report({
    ...report,
    reason: report.reason === null ? null : cleanReason(report.reason),
    providerPaymentId: cleanId(report.providerPaymentId),
    providerStatus: cleanId(report.providerStatus),
    ...cleanCode(report),
    ...(report.waitsFor === undefined
      ? {}
      : { waitsFor: { ...report.waitsFor, actionData: cleanFields(report.waitsFor.actionData) } })
  })

export const cleanOutcome = (outcome: Outcome): Outcome => {
  switch (outcome._tag) {
    case "Accepted":
      return new Accepted({
        ...outcome,
        providerPaymentId: cleanId(outcome.providerPaymentId),
        providerStatus: cleanId(outcome.providerStatus),
        actionData: cleanFields(outcome.actionData),
        providerData: cleanFields(outcome.providerData)
      })
    case "Declined":
      return new Declined({ ...outcome, reason: cleanReason(outcome.reason), ...cleanCode(outcome) })
    case "Unknown":
      return new Unknown({ reason: cleanReason(outcome.reason) })
  }
}

export const cleanEnquiry = (enquiry: Enquiry): Enquiry => {
  switch (enquiry._tag) {
    case "Report":
      return cleanReport(enquiry)
    case "Absent":
      return new Absent()
    case "Unknown":
      return new Unknown({ reason: cleanReason(enquiry.reason) })
  }
}
