/** Stores and sends a verification request to one person. */
import { Context, Effect, Option } from "effect"
import { type OrgId, type TransactionId, UserId, BeneficiaryId, Ids, idOrNil } from "../../domain/Ids.ts"
import type { RequestVerification, VerificationAnswer } from "../../contract/api/VerificationApi.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import type { Permit } from "../../domain/Access.ts"
import { isDatabaseFailure, type RateLimited, type NotFound } from "../../domain/Failure.ts"
import { Notifier } from "../../platform/notifications/Notifier.ts"
import { Organizations } from "../organizations/Organizations.ts"
import { type NewVerificationRequest, VerificationStore } from "./VerificationStore.ts"
import { asName, asQuotation } from "../../domain/MailSafeText.ts"
import type { User } from "../users/UserStore.ts"
import { Users } from "../users/Users.ts"
import { traced } from "../../platform/observability/Spans.ts"

/** Port to beneficiaries and payments, which are in layers above. */
export class VerificationSubjects extends Context.Tag("corridor/VerificationSubjects")<
  VerificationSubjects,
  {
    readonly beneficiary: (
      orgId: OrgId,
      beneficiaryId: BeneficiaryId
    ) => Stored<Option.Option<{ readonly email: string | null }>>
    readonly transaction: (
      reader: Permit<"any">,
      transactionId: TransactionId
    ) => Stored<{ readonly transaction_id: TransactionId }, NotFound>
  }
>() {}

export type Target = "beneficiary" | "sender"

/** The address, or the reason why there is none. */
export type Recipient = { readonly address: string } | { readonly reason: string }

export const makeVerificationRecipients = Effect.gen(function* () {
  const users = yield* Users
  const subjects = yield* VerificationSubjects

  /** A user who belongs to the organisation. */
  const member = Effect.fnUntraced(function* (orgId: OrgId, given: string) {
    const userId = idOrNil(UserId)(given)
    return (yield* users.isMember(orgId, userId)) ? yield* users.find(userId) : Option.none<User>()
  })

  const recipient = Effect.fnUntraced(function* (orgId: OrgId, target: Target, given: string) {
    if (target === "sender") {
      return Option.match(yield* member(orgId, given), {
        onNone: (): Recipient => ({ reason: "No sender with this id." }),
        onSome: ({ email }): Recipient => ({ address: email })
      })
    }
    return Option.match(yield* subjects.beneficiary(orgId, idOrNil(BeneficiaryId)(given)), {
      onNone: (): Recipient => ({ reason: "No beneficiary with this id." }),
      onSome: ({ email }): Recipient =>
        email === null ? { reason: "The beneficiary has no e-mail address." } : { address: email }
    })
  })

  return { member, recipient }
})

const names = { bvn: "Bank Verification Number (BVN)", nin: "National Identification Number (NIN)" } as const

interface MessageContext {
  readonly organization: string
  readonly transactionId: TransactionId
  readonly requestId: string
  readonly wanted: Pick<typeof RequestVerification.Type, "message" | "verification_type">
}

const verificationMessage = ({ organization, requestId, transactionId, wanted }: MessageContext) => {
  const asking = asName(organization)
  const number = names[wanted.verification_type]
  const { message } = wanted
  return {
    subject: `${asking}: please verify your ${wanted.verification_type.toUpperCase()}`,
    text: [
      `${asking} asks you to verify your ${number} for a transaction in which you take part.`,
      ...(message === undefined || message === null ? [] : [`${asking} writes:\n${asQuotation(message)}`]),
      `Transaction: ${transactionId}\nRequest: ${requestId}`,
      "Never send the number itself by e-mail."
    ].join("\n\n")
  }
}

type Wanted = typeof RequestVerification.Type
type Result = NonNullable<(typeof VerificationAnswer.Type)["results"]>[number]

export type NamedTarget = readonly [Target, id: string]

/** `limited`: not sent because of the rate limit. */
interface SendResult extends Result {
  readonly limited?: RateLimited
}

interface RequestContext {
  readonly org_id: OrgId
  readonly requested_by: UserId
  readonly transaction_id: TransactionId
}

export const makeVerificationSender = Effect.gen(function* () {
  const store = yield* VerificationStore
  const organizations = yield* Organizations
  const notifier = yield* Notifier
  const audit = yield* AuditLog
  const ids = yield* Ids
  const recipients = yield* makeVerificationRecipients
  const { atomically } = yield* Transactor

  const insert = (permit: Permit<"verification">, request: NewVerificationRequest) => {
    const { org_id, request_id, target, transaction_id, verification_type } = request
    return atomically(
      Effect.zipRight(
        store.insert(request),
        audit.record(permit, {
          action: "verification.requested",
          org: org_id,
          subject: ["verification_request", request_id],
          detail: { target, verification_type, transaction_id }
        })
      )
    )
  }

  /** Stores the request before it sends the message. */
  const send = traced("VerificationSender.send")(function* (
    permit: Permit<"verification">,
    about: RequestContext,
    wanted: Wanted,
    [target, user_id]: NamedTarget
  ) {
    const { priority, triggered_by, verification_type } = wanted
    const request_id = yield* ids.next
    const recipient: Recipient = yield* recipients.recipient(about.org_id, target, user_id)
    const status = "address" in recipient ? "pending" : "failed"
    const request = { ...about, request_id, target, user_id, verification_type, triggered_by, priority }
    yield* insert(permit, { ...request, status })
    const result = { target, user_id, request_id }
    const failed = (message: string): SendResult => ({ ...result, message, status: "failed", success: false })
    if (!("address" in recipient)) return failed(recipient.reason)
    const organization = yield* organizations.find(about.org_id)
    const message = verificationMessage({
      organization: Option.match(organization, { onNone: () => "", onSome: ({ name }) => name }),
      transactionId: about.transaction_id,
      requestId: request_id,
      wanted
    })
    return yield* notifier
      .send({ ...message, to: recipient.address, org_id: about.org_id, kind: "verification_request", priority })
      .pipe(
        Effect.as<SendResult>({ ...result, message: "Verification request sent.", status: "pending", success: true }),
        Effect.tapError((refusal) =>
          isDatabaseFailure(refusal)
            ? Effect.void
            : Effect.logWarning(`A verification request could not be sent: ${refusal.message}`).pipe(
                Effect.annotateLogs({ request_id }),
                Effect.zipRight(store.close(Option.some(about.org_id), request_id, "failed"))
              )
        ),
        Effect.catchTags({
          NotificationFailed: () => Effect.succeed(failed(`The ${target} could not be reached.`)),
          RateLimited: (limited) => Effect.succeed<SendResult>({ ...failed(limited.message), limited })
        })
      )
  })

  return { send }
})
