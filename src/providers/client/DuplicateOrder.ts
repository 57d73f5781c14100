/** Answers to orders from reports: of orders that were just made, and of those that the provider had already. */
import { Accepted, Declined, type Enquiry, type Outcome, type Report, Unknown } from "../../domain/Outcome.ts"

const given = <K extends string, A>(key: K, value: A | undefined): { [P in K]?: A } =>
  (value === undefined ? {} : { [key]: value }) as { [P in K]?: A }

const declinedBy = (report: Report): Declined =>
  new Declined({
    reason: report.reason ?? `its status is ${report.providerStatus ?? report.state}`,
    ...given("code", report.code),
    ...given("providerCode", report.providerCode),
    ...given("providerPaymentId", report.providerPaymentId ?? undefined)
  })

const acceptedBy = (report: Report, state: Accepted["state"]): Accepted =>
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

export const outcomeOfReport = (report: Report): Accepted | Declined =>
  report.state === "failed" || report.state === "returned" ? declinedBy(report) : acceptedBy(report, report.state)

/** An order that the provider has already. One that cannot be found just after it was said to exist is unknown. */
export const outcomeOfDuplicate = (enquiry: Enquiry): Outcome => {
  switch (enquiry._tag) {
    case "Absent":
      return new Unknown({ reason: "it has this reference already, and cannot find it" })
    case "Unknown":
      return enquiry
    case "Report":
      return outcomeOfReport(enquiry)
  }
}

/** The same, where a failure is left to the next enquiry. */
export const acceptedDuplicate = (enquiry: Enquiry): Accepted | Unknown =>
  enquiry._tag === "Report"
    ? acceptedBy(enquiry, enquiry.state === "completed" ? "completed" : "processing")
    : new Unknown({ reason: "it has this reference already, and does not say what became of it" })
