/** How callers ask: of any instance, and again with the same key, of another one, while they have no answer. */
import { setTimeout as pause } from "node:timers/promises"
import { isUnresolved, type Json, jsonOf } from "../../simulation/business/ScenarioContext.ts"
import type { Chance } from "../../simulation/world/Chance.ts"
import type { Instance } from "../environment/Instance.ts"
import type { HttpReply } from "../../simulation/world/SimulationEnvironment.ts"
import type { RequestLog, LoggedRequest } from "./RequestLog.ts"

/** Longer than a provider has, shorter than anybody sleeps: whoever is paused is not waited for. */
const CALL_TIMEOUT_MILLIS = 6_000

export interface CallContext {
  readonly instances: ReadonlyArray<Instance>
  readonly requestLog: RequestLog
  readonly chance: Chance
}

export const headersFor = (apiKey: string) => ({
  authorization: "NONE",
  "x-api-key": apiKey,
  "content-type": "application/json"
})

const send = async (url: string, init: RequestInit): Promise<HttpReply | null> => {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(CALL_TIMEOUT_MILLIS) })
    return { status: response.status, body: await response.text(), headers: Object.fromEntries(response.headers) }
  } catch {
    return null
  }
}

/** What is asked for in the end may have been at a rate that was locked for a quarter of an hour. */
const isTooLate = ({ body }: HttpReply): boolean => {
  const [, expired = ""] = /org_rate_id: expired at ([^;]+)/.exec(body) ?? []
  return Date.parse(expired) <= Date.now()
}

/** Refusals that say nothing about the order itself. */
const checkReply = ({ requestLog }: CallContext, what: string, url: string, reply: HttpReply | null): void => {
  requestLog.count(reply === null ? "none" : String(reply.status))
  if (reply === null) return
  requestLog.checkStatus(what, url, reply)
  // Callers here say what they may say: whatever is not understood was not meant to be.
  if (reply.status === 400 && !isTooLate(reply)) requestLog.problems.push(`${what}: 400 ${reply.body.slice(0, 200)}`)
  if (reply.status === 503 && reply.headers["retry-after"] === undefined)
    requestLog.problems.push(`${what}: 503 without Retry-After`)
}

/** One try at one instance; nothing where there is no answer to go by. */
const callInstance = async (
  context: CallContext,
  instance: Instance,
  order: LoggedRequest
): Promise<HttpReply | null> => {
  const url = `${instance.url}${order.path}`
  const reply = await send(url, {
    method: "POST",
    headers: { ...headersFor(order.apiKey), "idempotency-key": order.key },
    body: JSON.stringify(order.body)
  })
  checkReply(context, order.what, url, reply)
  // Nobody knows whether that came before or after something was done.
  return reply === null || isUnresolved(reply) || reply.status === 500 ? null : reply
}

export const callOnce = (context: CallContext, order: LoggedRequest, at: number): Promise<HttpReply | null> =>
  callInstance(context, context.chance.pick(context.instances, `${order.key} try ${at}`), order)

const pauses = [100, 300, 1_000, 3_000]

/** Again and again, for a while; what is left open then is asked for in the end. */
export const callUntilAnswered = async (context: CallContext, order: LoggedRequest): Promise<HttpReply | null> => {
  for (const [at, millis] of pauses.entries()) {
    const reply = await callOnce(context, order, at)
    if (reply !== null) {
      order.replies.push(reply)
      return reply
    }
    await pause(millis)
  }
  return null
}

const PROBE_MILLIS = 50

/** Asks one instance until it answers, or for half a minute. */
export const probeInstance = async (
  context: CallContext,
  instance: Instance,
  order: LoggedRequest
): Promise<boolean> => {
  const deadline = performance.now() + 30_000
  while (performance.now() < deadline) {
    const reply = await callInstance(context, instance, order)
    if (reply !== null) {
      order.replies.push(reply)
      return reply.status === 200
    }
    await pause(PROBE_MILLIS)
  }
  return false
}

/** A read, which changes nothing. */
export const readJson = async (
  context: CallContext,
  apiKey: string,
  path: string,
  purpose: string
): Promise<Json | null> => {
  const url = `${context.chance.pick(context.instances, purpose).url}${path}`
  const reply = await send(url, { headers: headersFor(apiKey) })
  if (reply !== null) context.requestLog.checkStatus(purpose, url, reply)
  return reply?.status === 200 ? jsonOf(reply) : null
}
