/** Cases for the harmless call that tests an account: readable answers and refused credentials. */
import { expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { NeverSent } from "../../../src/providers/client/ProviderHttp.ts"
import type { AccountFacts, Provider } from "../../../src/providers/port/Provider.ts"
import { replyOf, type Said } from "./ScriptedReplies.ts"

/** `key`: refused credentials. `facts`: facts read from well-formed bodies. */
export const triesAccount = (
  answering: (...replies: ReadonlyArray<Said>) => { readonly provider: Provider },
  key: string,
  facts: ReadonlyArray<readonly [body: unknown, says: AccountFacts]>
): void => {
  const all: ReadonlyArray<readonly [Said, Either.Either<AccountFacts, string>]> = [
    ...facts.map(([body, says]) => [replyOf(200, body), Either.right(says)] as const),
    [replyOf(200, "<html>"), Either.left("HTTP 200 with a body that cannot be read")],
    [replyOf(401, {}), Either.left(`It does not take ${key}`)],
    [replyOf(403, {}), Either.left(`It does not take ${key}`)],
    [replyOf(500, {}), Either.left("HTTP 500")],
    [new NeverSent({ reason: "refused" }), Either.left("refused")]
  ]
  it.effect.each(all)("is tried", ([reply, expected]) =>
    Effect.gen(function* () {
      // Leaves out facts of further calls, which are not answered.
      expect(yield* answering(reply, replyOf(404)).provider.test!).toEqual(expected)
    })
  )
}
