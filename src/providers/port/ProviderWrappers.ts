/**
 * The name under which a third party knows an attempt. Several of them take nothing but a UUID of version 4, so that all of
 * them get one: the attempt's own id with another version in it. It is committed with the attempt, belongs to no other,
 * and leads back to it.
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

/** Text that cannot be one of ours names nothing. */
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

/** The provider as we speak to it, by the ids of attempts, where it knows them by what goes over the wire. */
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

/** A provider whose calls say for what and for whom they are made, so that they share its room fairly. */
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
