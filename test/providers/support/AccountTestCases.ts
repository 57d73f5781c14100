/** The harmless call that tries an account, by an answer that tells of it and by those that let nobody in. */
import { expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { NeverSent } from "../../../src/providers/client/ProviderHttp.ts"
import type { AccountFacts, Provider } from "../../../src/providers/port/Provider.ts"
import { replyOf, type Said } from "./ScriptedReplies.ts"

/** `key`: what is not taken. `told`: what is said to bodies that are well formed. */
export const triesAccount = (
  hearing: (...replies: ReadonlyArray<Said>) => { readonly provider: Provider },
  key: string,
  reported: ReadonlyArray<readonly [body: unknown, says: AccountFacts]>
): void => {
  const all: ReadonlyArray<readonly [Said, Either.Either<AccountFacts, string>]> = [
    ...reported.map(([body, says]) => [replyOf(200, body), Either.right(says)] as const),
    [replyOf(200, "<html>"), Either.left("HTTP 200 with a body that cannot be read")],
    [replyOf(401, {}), Either.left(`It does not take ${key}`)],
    [replyOf(403, {}), Either.left(`It does not take ${key}`)],
    [replyOf(500, {}), Either.left("HTTP 500")],
    [new NeverSent({ reason: "refused" }), Either.left("refused")]
  ]
  it.effect.each(all)("is tried", ([reply, expected]) =>
    Effect.gen(function* () {
      // What is asked besides is not answered, and is left out.
      expect(yield* hearing(reply, replyOf(404)).provider.test!).toEqual(expected)
    })
  )
}
