/** A request to a third party and its answer, at the level at which undici says when it begins to write. */
import { Duration, Effect } from "effect"
import type { Dispatcher } from "undici"
import { providerAnswerBytes } from "../../domain/policies/ProviderPolicies.ts"
import { type CallFailed, MaybeSent, NeverSent } from "./ProviderHttp.ts"

export interface CallLimits {
  readonly connect: Duration.Duration
  readonly firstByte: Duration.Duration
  readonly answer: Duration.Duration
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

const letGo = new Error("the caller no longer waits for the answer")

/** A code such as ECONNRESET; whatever else an error says may hold what was sent. */
const codeOf = (cause: unknown): string => {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined
  return typeof code === "string" && /^[A-Z0-9_]{1,64}$/.test(code) ? code : "unknown reason"
}

const headersOf = (headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>) =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), typeof value === "string" ? value : value.join(", ")]]
    )
  )

export const exchange = (
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  limits: CallLimits
): Effect.Effect<Answer, CallFailed> =>
  Effect.async((resume) => {
    const chunks: Array<Buffer> = []
    let bytes = 0
    let status = 0
    let headers: Answer["headers"] = {}
    let connection: Dispatcher.DispatchController | undefined
    let isOver = false
    const timers = new Set<NodeJS.Timeout>()

    const end = (outcome: Effect.Effect<Answer, CallFailed>) => {
      if (isOver) return
      isOver = true
      for (const timer of timers) clearTimeout(timer)
      resume(outcome)
    }
    const cutOff = (outcome: Effect.Effect<Answer, CallFailed>) => {
      end(outcome)
      connection?.abort(letGo)
    }
    const after = (limit: Duration.Duration, outcome: () => Effect.Effect<Answer, CallFailed>): NodeJS.Timeout => {
      const timer = setTimeout(() => cutOff(outcome()), Duration.toMillis(limit))
      timers.add(timer)
      return timer
    }
    const within = (limit: Duration.Duration) => `within ${Duration.format(limit)}`

    const connecting = after(
      limits.connect,
      () => new NeverSent({ reason: `no connection to it ${within(limits.connect)}` })
    )
    let silent: NodeJS.Timeout | undefined

    const handler: Dispatcher.DispatchHandler = {
      // Called just before the first byte is written: nothing was sent until here, anything may have been from here on.
      onRequestStart: (controller) => {
        // The caller may have timed out while waiting for a connection; and nothing is written twice.
        if (isOver || connection !== undefined) {
          controller.abort(letGo)
          return cutOff(new MaybeSent({ reason: "the connection was lost, and it is not sent again" }))
        }
        connection = controller
        clearTimeout(connecting)
        silent = after(
          limits.firstByte,
          () => new MaybeSent({ reason: `it did not begin to answer ${within(limits.firstByte)}` })
        )
        after(limits.answer, () => new MaybeSent({ reason: `its answer was not whole ${within(limits.answer)}` }))
      },
      onResponseStart: (_controller, statusCode, given) => {
        // One below 200 only announces the answer.
        if (isOver || statusCode < 200) return
        status = statusCode
        headers = headersOf(given)
        clearTimeout(silent)
      },
      onResponseData: (_controller, chunk) => {
        bytes += chunk.length
        if (bytes > providerAnswerBytes) return cutOff(new MaybeSent({ reason: "its answer is too large" }))
        chunks.push(chunk)
      },
      onResponseEnd: () => end(Effect.succeed({ status, headers, text: Buffer.concat(chunks).toString("utf8") })),
      onResponseError: (_controller, cause) =>
        end(
          connection === undefined
            ? new NeverSent({ reason: `no connection to it (${codeOf(cause)})` })
            : new MaybeSent({ reason: `the connection to it broke (${codeOf(cause)})` })
        )
    }
    dispatcher.dispatch(request, handler)
    return Effect.sync(() => cutOff(Effect.interrupt))
  })
