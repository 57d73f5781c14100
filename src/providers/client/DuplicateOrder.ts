/** Answers to orders from reports: of orders that were just made, and of those that the provider had already. */
import { present } from "./WireValues.ts"
import { Accepted, Declined, type Enquiry, type Outcome, type Report, Unknown } from "../../domain/Outcome.ts"

const declinedBy = (report: Report): Declined =>
  new Declined({
    reason: report.reason ?? `its status is ${report.providerStatus ?? report.state}`,
    ...present({
      code: report.code,
      providerCode: report.providerCode,
      providerPaymentId: report.providerPaymentId ?? undefined
    })
  })

export const acceptedBy = (report: Report, state: Accepted["state"]): Accepted =>
  new Accepted({
    state,
    providerPaymentId: report.providerPaymentId,
    providerStatus: report.providerStatus,
    nextAction: report.waitsFor?.nextAction ?? (state === "pending" ? "check_status" : null),
    actionData: report.waitsFor?.actionData ?? {},
    providerData: report.providerData ?? {},
    ...present({ movements: report.movements, fee: report.fee })
  })

/** `declined`: instead of a refusal by what the report says. */
export const outcomeOfReport = (report: Report, declined?: Declined): Accepted | Declined =>
  report.state === "failed" || report.state === "returned"
    ? (declined ?? declinedBy(report))
    : acceptedBy(report, report.state)

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
