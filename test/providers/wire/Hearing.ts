/** A third party that says what a test has it say. */
import { Effect, Either } from "effect"
import type {
  MaybeSent,
  NeverSent,
  ProviderCall,
  ProviderHttp,
  ProviderReply
} from "../../../src/providers/client/ProviderHttp.ts"
import { readJson } from "../../../src/providers/port/WireJson.ts"

export const replyWith = (status: number, body: unknown): ProviderReply => {
  const text = typeof body === "string" ? body : JSON.stringify(body)
  return { status, headers: {}, text, json: Either.getOrUndefined(readJson(text)) }
}

export type Said = ProviderReply | NeverSent | MaybeSent

/** These things, in this order, and nothing after them. */
export const saying = (
  ...replies: ReadonlyArray<Said>
): { readonly calls: ReadonlyArray<ProviderCall>; readonly http: ProviderHttp } => {
  const calls: Array<ProviderCall> = []
  const left = [...replies]
  return {
    calls,
    http: {
      call: (call) =>
        Effect.suspend(() => {
          calls.push(call)
          const next = left.shift()
          if (next === undefined) throw new Error(`nothing more was expected: ${call.method} ${call.path}`)
          return "status" in next ? Effect.succeed(next) : Effect.fail(next)
        })
    }
  }
}
