/** An order that its provider already has: what a look-up says of it, as an answer to the order. */
import { Accepted, Declined, type Enquiry, type Outcome, type Report, Unknown } from "../../domain/Outcome.ts"

const given = <K extends string, A>(key: K, value: A | undefined): { [P in K]?: A } =>
  (value === undefined ? {} : { [key]: value }) as { [P in K]?: A }

const refused = (report: Report): Declined =>
  new Declined({
    reason: report.reason ?? `its status is ${report.providerStatus ?? report.state}`,
    ...given("code", report.code),
    ...given("providerCode", report.providerCode),
    ...given("providerPaymentId", report.providerPaymentId ?? undefined)
  })

const taken = (report: Report, state: Accepted["state"]): Accepted =>
  new Accepted({
    state,
    providerPaymentId: report.providerPaymentId,
    providerStatus: report.providerStatus,
    nextAction: report.waitsFor?.nextAction ?? (state === "pending" ? "check_status" : null),
    actionData: report.waitsFor?.actionData ?? {},
    providerData: report.providerData ?? {},
    ...given("movements", report.movements),
    ...given("fee", report.fee)
  })

/** What cannot be found just after it was said to exist is not known. */
export const outcomeOfDuplicate = (enquiry: Enquiry): Outcome => {
  switch (enquiry._tag) {
    case "Absent":
      return new Unknown({ reason: "it has this reference already, and cannot find it" })
    case "Unknown":
      return enquiry
    case "Report":
      return enquiry.state === "failed" || enquiry.state === "returned"
        ? refused(enquiry)
        : taken(enquiry, enquiry.state)
  }
}
