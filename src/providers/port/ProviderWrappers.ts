/**
 * References of attempts at third parties. Several accept only a UUID of version 4, so every third party gets the attempt's
 * id with its version digit replaced.
 */
import { Effect } from "effect"
import { nilUuid, type OrgId } from "../../domain/Ids.ts"
import { type CallbackEvent, Hint, type Named, Statement } from "./Callback.ts"
import type { AttemptContext, Provider } from "./Provider.ts"
import { caller, type Purpose } from "../client/ConcurrencyLimit.ts"

const VERSION_AT = 14

const shape = /^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const withVersion = (version: "4" | "7", id: string): string =>
  `${id.slice(0, VERSION_AT)}${version}${id.slice(VERSION_AT + 1)}`

export const wireReference = (attemptId: string): string => withVersion("4", attemptId)

/** The nil UUID for text that is no reference of ours. */
export const attemptOfWire = (text: string): string => {
  const lower = text.toLowerCase()
  return shape.test(lower) ? withVersion("7", lower) : nilUuid
}

const outward = (attempt: AttemptContext): AttemptContext => ({
  ...attempt,
  reference: wireReference(attempt.reference),
  broughtBy: attempt.broughtBy === null ? null : outward(attempt.broughtBy)
})

const named = ({ reference, ...others }: Named): Named => ({
  ...others,
  reference: reference === null ? null : attemptOfWire(reference)
})

const inward = (event: CallbackEvent): CallbackEvent =>
  event._tag === "Hint"
    ? new Hint({ ...event, attempt: named(event.attempt) })
    : new Statement({ ...event, attempt: named(event.attempt) })

/** Translates our attempt ids to wire references, and back in callbacks. */
export const byWireReference = (provider: Provider): Provider => {
  const { cancel, otp, refund, resume } = provider
  return {
    ...provider,
    initiate: (order) => provider.initiate({ ...order, reference: wireReference(order.reference) }),
    enquire: (attempt) => provider.enquire(outward(attempt)),
    callback: (request) =>
      Effect.map(provider.callback(request), ({ events, ...rest }) => ({ events: events.map(inward), ...rest })),
    ...(otp === undefined
      ? {}
      : {
          otp: {
            submit: (attempt: AttemptContext, password: string) => otp.submit(outward(attempt), password),
            resend: (attempt: AttemptContext) => otp.resend(outward(attempt))
          }
        }),
    ...(cancel === undefined ? {} : { cancel: (attempt: AttemptContext) => cancel(outward(attempt)) }),
    ...(refund === undefined
      ? {}
      : {
          refund: (order) =>
            refund({ ...order, attempt: outward(order.attempt), reference: wireReference(order.reference) })
        }),
    ...(resume === undefined ? {} : { resume: (attempt, query) => resume(outward(attempt), query) })
  }
}

/** Tags the calls of a provider with their purpose and organisation, for the concurrency limit. */
const asking =
  (purpose: Purpose, orgId: OrgId | null) =>
  <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.locally(effect, caller, { purpose, orgId })

export const withCaller = (provider: Provider): Provider => {
  const { cancel, otp, refund, resume } = provider
  return {
    ...provider,
    initiate: (order) => asking("order", order.orgId)(provider.initiate(order)),
    enquire: (attempt) => asking("question", attempt.orgId)(provider.enquire(attempt)),
    callback: (request) => asking("proof", null)(provider.callback(request)),
    ...(otp === undefined
      ? {}
      : {
          otp: {
            submit: (attempt, password) => asking("order", attempt.orgId)(otp.submit(attempt, password)),
            resend: (attempt) => asking("order", attempt.orgId)(otp.resend(attempt))
          }
        }),
    ...(cancel === undefined ? {} : { cancel: (attempt) => asking("order", attempt.orgId)(cancel(attempt)) }),
    ...(refund === undefined ? {} : { refund: (order) => asking("order", order.attempt.orgId)(refund(order)) }),
    ...(resume === undefined
      ? {}
      : { resume: (attempt, query) => asking("question", attempt.orgId)(resume(attempt, query)) })
  }
}
