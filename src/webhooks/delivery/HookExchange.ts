/** A request to a receiver and its answer, at the level at which undici costs least: no stream, no promise, one timer. */
import { Effect } from "effect"
import type { Dispatcher } from "undici"

export interface HookRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface HookAnswer {
  readonly status: number
  /** The first 16 KiB at most. */
  readonly text: string
}

/** Why there is no complete answer: the clock ran out, or whatever the connection failed with. */
export type NoAnswer = { readonly late: true } | { readonly late: false; readonly cause: unknown }

const MOST_BYTES = 16 * 1024

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
    const timer = setTimeout(() => cutOff(Effect.fail({ late: true })), patience)

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: (controller) => {
        connection = controller
        // It may have waited for its connection until nobody waited for it.
        if (over) controller.abort(letGo)
      },
      onResponseStart: (_controller, statusCode) => {
        status = statusCode
      },
      onResponseData: (_controller, chunk) => {
        chunks.push(chunk)
        bytes += chunk.length
        // The rest is never read: the connection goes with it.
        if (bytes >= MOST_BYTES) cutOff(answer())
      },
      onResponseEnd: () => end(answer()),
      onResponseError: (_controller, cause) => end(Effect.fail({ late: false, cause }))
    }
    dispatcher.dispatch(
      { origin: url.origin, path: `${url.pathname}${url.search}`, method: "POST", headers, body },
      handler
    )
    return Effect.sync(() => cutOff(Effect.interrupt))
  })
