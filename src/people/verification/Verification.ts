/** Creates, lists and closes verification requests. Closing publishes an event. */
import { type Array as Arr, Context, Effect, Either, Layer } from "effect"
import { idOrNil, TransactionId } from "../../domain/Ids.ts"
import type { CloseVerification, RequestVerification, VerificationApi } from "../../contract/api/VerificationApi.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { mapRefusal, orNotFound, orRefuse } from "../../platform/database/DatabaseFailure.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import { organizationOf, type Permit } from "../../domain/Access.ts"
import { Conflict, Invalid, notFound, NotFound } from "../../domain/Failure.ts"
import type { Window } from "../../platform/database/Query.ts"
import {
  makeVerificationRecipients,
  makeVerificationSender,
  type NamedTarget,
  type Target,
  VerificationSubjects
} from "./VerificationSender.ts"
import { EventPublisher } from "../../webhooks/EventPublisher.ts"
import { type VerificationFilter, VerificationStore } from "./VerificationStore.ts"
import { answer, type Handlers, Reply } from "../../platform/http/Handlers.ts"
import { makePages } from "../../platform/pagination/Pagination.ts"
import { traced } from "../../platform/observability/Spans.ts"

type Wanted = typeof RequestVerification.Type

const missing = (field: string, type: string): Invalid =>
  new Invalid({ message: `${field}: is required when target_type is ${type} or both.` })

/** Targets of the request, the beneficiary first. */
const targetsOf = ({
  beneficiary_id,
  sender_id,
  target_type
}: Wanted): Either.Either<Arr.NonEmptyReadonlyArray<NamedTarget>, Invalid> => {
  const named = (target: Target, id: string | null | undefined): Either.Either<NamedTarget, Invalid> =>
    Either.fromNullable(id, () => missing(`${target}_id`, target)).pipe(Either.map((given) => [target, given]))
  const beneficiary = named("beneficiary", beneficiary_id)
  const sender = named("sender", sender_id)
  if (target_type === "both") return Either.all([beneficiary, sender])
  return Either.map(target_type === "sender" ? sender : beneficiary, (one) => [one])
}

const make = Effect.gen(function* () {
  const store = yield* VerificationStore
  const subjects = yield* VerificationSubjects
  const events = yield* EventPublisher
  const audit = yield* AuditLog
  const recipients = yield* makeVerificationRecipients
  const { send } = yield* makeVerificationSender
  const { atomically } = yield* Transactor

  const get = (permit: Permit<"verification">, id: string) =>
    orNotFound("verification request")(store.find(permit.scope, id))

  return {
    get,
    list: (permit: Permit<"verification">, filter: VerificationFilter, window: Window) =>
      store.list(permit.scope, filter, window),
    /** `reader` reads the transaction. With a single target, a failure is NotFound or RateLimited. */
    request: traced("Verification.request")(function* (
      permit: Permit<"verification">,
      reader: Permit<"any">,
      wanted: Wanted
    ) {
      const targets = yield* targetsOf(wanted)
      const org_id = yield* organizationOf(permit)
      const { transaction_id } = yield* subjects
        .transaction(reader, idOrNil(TransactionId)(wanted.transaction_id))
        .pipe(mapRefusal(() => notFound("transaction")))
      const { user_id: requested_by } = yield* orNotFound("user")(recipients.member(org_id, wanted.user_id))
      const about = { org_id, requested_by, transaction_id }
      // In parallel: a mail server that hangs delays the request once.
      const results = yield* Effect.forEach(targets, (target) => send(permit, about, wanted, target), {
        concurrency: targets.length
      })
      const { target_type, verification_type } = wanted
      const all_success = results.every(({ success }) => success)
      const answer = { target_type, verification_type, transaction_id, all_success }
      if (target_type === "both") {
        const message = all_success ? "Verification requests sent." : "Some recipients could not be notified."
        return { ...answer, message, request_id: null, results: results.map(({ limited: _limited, ...one }) => one) }
      }
      const [{ limited, message, request_id, success }] = results
      if (limited !== undefined) return yield* limited
      return success ? { ...answer, message, request_id } : yield* new NotFound({ message })
    }),
    close: traced("Verification.close")(function* (
      permit: Permit<"verification">,
      id: string,
      status: (typeof CloseVerification.Type)["status"]
    ) {
      const before = yield* get(permit, id)
      const message =
        before.status === "failed"
          ? "This request was not delivered; create a new one."
          : "This request is already closed."
      const closed = yield* store.close(permit.scope, id, status).pipe(orRefuse(() => new Conflict({ message })))
      const { org_id: org, request_id, user_id, verification_type } = closed
      const data = { user_id, request_id, verification_type, status }
      yield* events.publish({ event_type: `kyc.${status}`, org_id: org }, data)
      const subject = ["verification_request", request_id] as const
      yield* audit.record(permit, { action: `verification.${status}`, org, subject })
      return closed
    }, atomically)
  }
})

export class Verification extends Context.Tag("corridor/Verification")<
  Verification,
  Effect.Effect.Success<typeof make>
>() {
  static readonly layer = Layer.effect(Verification, make)
}

const PARTIAL_SUCCESS = 207

export const verificationHandlers = Effect.map(
  Effect.all([Verification, makePages]),
  ([verification, pages]): Handlers<typeof VerificationApi> => ({
    request: traced("verificationHandlers.request")(function* ({ elevate, payload, permit }) {
      const result = yield* verification.request(permit, yield* elevate("any"), payload)
      return result.all_success ? result : new Reply(PARTIAL_SUCCESS, result)
    }),
    list: (request) => {
      const { status, transaction_id } = request.urlParams
      return pages(request, {
        message: "Verification requests",
        filters: { status, transaction_id },
        fetch: (window) => verification.list(request.permit, { status, transaction_id }, window),
        idOf: ({ request_id }) => request_id
      })
    },
    get: ({ path, permit }) => answer("Verification request", verification.get(permit, path.request_id)),
    close: ({ path, payload, permit }) =>
      answer("Verification request closed", verification.close(permit, path.request_id, payload.status))
  })
)
