/** A third party that says what a test has it say. */
import { Effect, Either } from "effect"
import type {
  CallFailed,
  ProviderCall,
  ProviderHttp,
  ProviderReply
} from "../../../src/providers/client/ProviderHttp.ts"
import { readJson } from "../../../src/providers/client/WireValues.ts"

export const replyOf = (
  status: number,
  body: unknown = "",
  headers: Readonly<Record<string, string>> = {}
): ProviderReply => {
  const text = typeof body === "string" ? body : JSON.stringify(body)
  return { status, headers, text, json: Either.getOrUndefined(readJson(text)) }
}

export type Said = ProviderReply | CallFailed

export interface Scripted {
  readonly http: ProviderHttp
  /** Requests that it got. */
  readonly calls: Array<ProviderCall>
}

export const scripted = (answer: (call: ProviderCall) => Said): Scripted => {
  const calls: Array<ProviderCall> = []
  const http: ProviderHttp = {
    call: (call) =>
      Effect.suspend(() => {
        calls.push(call)
        const said = answer(call)
        return "_tag" in said ? Effect.fail(said) : Effect.succeed(said)
      })
  }
  return { http, calls }
}

/** Answers with these replies in this order, and with nothing after them. */
export const saying = (...replies: ReadonlyArray<Said>): Scripted => {
  const left = [...replies]
  return scripted(({ method, path }) => {
    const next = left.shift()
    if (next === undefined) throw new Error(`nothing more was expected: ${method} ${path}`)
    return next
  })
}
