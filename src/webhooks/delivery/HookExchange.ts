/** A request to a receiver and its answer, at the level at which undici costs least: no stream, no promise, two timers. */
import { Duration, Effect } from "effect"
import type { Dispatcher } from "undici"
import { webhookBodyPatience } from "../../domain/policies/Webhooks.ts"

export interface HookRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface HookAnswer {
  readonly status: number
  /** What came of it in a moment, the first 16 KiB at most. */
  readonly text: string
}

/** Why there is no answer: the clock ran out, or whatever the connection failed with. */
export type NoAnswer = { readonly late: true } | { readonly late: false; readonly cause: unknown }

const MOST_BYTES = 16 * 1024

const bodyPatience = Duration.toMillis(webhookBodyPatience)

const letGo = new Error("nobody waits for the answer any more")

export const exchange = (
  dispatcher: Dispatcher,
  url: URL,
  { body, headers }: HookRequest,
  patience: number
): Effect.Effect<HookAnswer, NoAnswer> =>
  Effect.async((resume) => {
    const chunks: Array<Buffer> = []
    let bytes = 0
    let status = 0
    let connection: Dispatcher.DispatchController | undefined
    let over = false

    const end = (outcome: Effect.Effect<HookAnswer, NoAnswer>) => {
      if (over) return
      over = true
      clearTimeout(timer)
      resume(outcome)
    }
    const answer = () =>
      Effect.succeed({ status, text: Buffer.concat(chunks).subarray(0, MOST_BYTES).toString("utf8") })
    const cutOff = (outcome: Effect.Effect<HookAnswer, NoAnswer>) => {
      end(outcome)
      connection?.abort(letGo)
    }
    let timer = setTimeout(() => cutOff(Effect.fail({ late: true })), patience)

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: (controller) => {
        connection = controller
        // It may have waited for its connection until nobody waited for it.
        if (over) controller.abort(letGo)
      },
      onResponseStart: (_controller, statusCode) => {
        // One below 200 only announces the answer.
        if (over || statusCode < 200) return
        status = statusCode
        // The answer is known. Its body mostly comes along, and then the connection can be used again.
        clearTimeout(timer)
        timer = setTimeout(() => cutOff(answer()), bodyPatience)
      },
      onResponseData: (_controller, chunk) => {
        chunks.push(chunk)
        bytes += chunk.length
        // The rest is never read: the connection goes with it.
        if (bytes >= MOST_BYTES) cutOff(answer())
      },
      onResponseEnd: () => end(answer()),
      onResponseError: (_controller, cause) => end(status === 0 ? Effect.fail({ late: false, cause }) : answer())
    }
    dispatcher.dispatch(
      { origin: url.origin, path: `${url.pathname}${url.search}`, method: "POST", headers, body },
      handler
    )
    return Effect.sync(() => cutOff(Effect.interrupt))
  })
