/** One person is asked: the request kept, the message sent, and what came of both. */
import { Context, Effect, Layer, Option } from "effect"
import type { OrgId, TransactionId, UserId } from "../../domain/Identifiers.ts"
import type { RequestVerification, VerificationAnswer } from "../../contract/api/Verification.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import type { Permit } from "../../domain/Access.ts"
import { isDatabaseFailure, type RateLimited } from "../../domain/Failure.ts"
import { Ids } from "../../domain/Ids.ts"
import { Notifier } from "../../platform/notifications/Notifier.ts"
import { Organizations } from "../organizations/Organizations.ts"
import { type Recipient, Recipients, type Target } from "./Recipients.ts"
import { verificationMessage } from "./VerificationMessage.ts"
import { type NewVerificationRequest, VerificationStore } from "./VerificationStore.ts"

type Wanted = typeof RequestVerification.Type
type Result = NonNullable<(typeof VerificationAnswer.Type)["results"]>[number]

export type Named = readonly [Target, id: string]

/** `limited`: nothing was wrong with the recipient, but too many messages were sent before. */
export interface Notified extends Result {
  readonly limited?: RateLimited
}

interface About {
  readonly org_id: OrgId
  readonly requested_by: UserId
  readonly transaction_id: TransactionId
}

export class Notify extends Context.Tag("corridor/VerificationNotify")<
  Notify,
  {
    /** The request is kept before the message goes, which nobody can take back. */
    readonly notify: (permit: Permit<"verification">, about: About, wanted: Wanted, named: Named) => Stored<Notified>
  }
>() {
  static readonly layer = Layer.effect(
    Notify,
    Effect.gen(function* () {
      const store = yield* VerificationStore
      const organizations = yield* Organizations
      const notifier = yield* Notifier
      const audit = yield* AuditLog
      const ids = yield* Ids
      const recipients = yield* Recipients
      const { atomically } = yield* Transactor

      const keep = (permit: Permit<"verification">, request: NewVerificationRequest) =>
        atomically(
          Effect.zipRight(
            store.insert(request),
            audit.record(permit, {
              action: "verification.requested",
              org: request.org_id,
              subject: ["verification_request", request.request_id],
              detail: {
                target: request.target,
                verification_type: request.verification_type,
                transaction_id: request.transaction_id
              }
            })
          )
        )

      const notify = Effect.fn("Notify.notify")(function* (
        permit: Permit<"verification">,
        about: About,
        wanted: Wanted,
        [target, user_id]: Named
      ) {
        const { priority, triggered_by, verification_type } = wanted
        const request_id = yield* ids.next
        const recipient: Recipient = yield* recipients.recipient(about.org_id, target, user_id)
        const status = "address" in recipient ? "pending" : "failed"
        const request = { ...about, request_id, target, user_id, verification_type, triggered_by, priority }
        yield* keep(permit, { ...request, status })
        const result = { target, user_id, request_id }
        const failed = (message: string): Notified => ({ ...result, message, status: "failed", success: false })
        if (!("address" in recipient)) return failed(recipient.reason)
        const organization = yield* organizations.find(about.org_id)
        const words = verificationMessage({
          organization: Option.match(organization, { onNone: () => "", onSome: ({ name }) => name }),
          transactionId: about.transaction_id,
          requestId: request_id,
          wanted
        })
        return yield* notifier
          .send({ ...words, to: recipient.address, org_id: about.org_id, kind: "verification_request", priority })
          .pipe(
            Effect.as<Notified>({ ...result, message: "Verification request sent.", status: "pending", success: true }),
            Effect.tapError((refusal) =>
              isDatabaseFailure(refusal)
                ? Effect.void
                : Effect.logWarning(`A verification request could not be sent: ${refusal.message}`).pipe(
                    Effect.annotateLogs({ request_id }),
                    Effect.zipRight(store.end(Option.some(about.org_id), request_id, "failed"))
                  )
            ),
            Effect.catchTags({
              NotificationFailed: () => Effect.succeed(failed(`The ${target} could not be reached.`)),
              RateLimited: (limited) => Effect.succeed<Notified>({ ...failed(limited.message), limited })
            })
          )
      })

      return { notify }
    })
  )
}
