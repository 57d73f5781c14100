/** API calls of callers: to any instance, repeated with the same key until answered. */
import { setTimeout as pause } from "node:timers/promises"
import { isUnresolved, type Json, jsonOf } from "../../simulation/business/ScenarioContext.ts"
import type { Chance } from "../../simulation/world/Chance.ts"
import type { Instance } from "../environment/ServerInstance.ts"
import type { HttpReply } from "../../simulation/world/SimulationEnvironment.ts"
import type { RequestLog, LoggedRequest } from "./RequestLog.ts"

/** Longer than PROVIDER_TIMEOUT, shorter than a suspension. */
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

/** A repeated request may use a locked rate that has expired. */
const isTooLate = ({ body }: HttpReply): boolean => {
  const [, expired = ""] = /org_rate_id: expired at ([^;]+)/.exec(body) ?? []
  return Date.parse(expired) <= Date.now()
}

/** Counts a reply and checks its status. */
const checkReply = ({ requestLog }: CallContext, what: string, url: string, reply: HttpReply | null): void => {
  requestLog.count(reply === null ? "none" : String(reply.status))
  if (reply === null) return
  requestLog.checkStatus(what, url, reply)
  // Callers send valid requests only: a 400 is a problem.
  if (reply.status === 400 && !isTooLate(reply)) requestLog.problems.push(`${what}: 400 ${reply.body.slice(0, 200)}`)
  if (reply.status === 503 && reply.headers["retry-after"] === undefined)
    requestLog.problems.push(`${what}: 503 without Retry-After`)
}

/** Calls one instance once; null: the outcome is unknown. */
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
  // Unknown whether the request took effect.
  return reply === null || isUnresolved(reply) || reply.status === 500 ? null : reply
}

export const callOnce = (context: CallContext, order: LoggedRequest, at: number): Promise<HttpReply | null> =>
  callInstance(context, context.chance.pick(context.instances, `${order.key} try ${at}`), order)

const pauses = [100, 300, 1_000, 3_000]

/** Repeats for some seconds; open requests are repeated at the end of the run. */
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

/** Calls one instance until it answers, for at most 30 seconds. */
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
