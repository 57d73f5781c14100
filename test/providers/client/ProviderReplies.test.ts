/** Calls that were never sent: nothing was moved for the order, and only some of them count against the provider. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Accepted, Declined } from "../../../src/domain/Outcome.ts"
import {
  type CallFailed,
  MaybeSent,
  NeverSent,
  type ProviderReply
} from "../../../src/providers/client/ProviderHttp.ts"
import { preparedOrDeclined, outcomeOfOrder } from "../../../src/providers/client/ProviderReplies.ts"

const unreadable = () => {
  throw new Error("there was no reply")
}

const ordered = (failed: CallFailed) => outcomeOfOrder(Effect.fail(failed), unreadable)

it.effect("a lack of our own capacity is distinguished from a provider that cannot be reached", () =>
  Effect.gen(function* () {
    const crowded = new NeverSent({ reason: "no turn", crowded: true })
    const alone = new NeverSent({ reason: "no connection" })
    expect(yield* ordered(crowded)).toMatchObject({ _tag: "Declined", unsent: "crowded" })
    expect(yield* ordered(alone)).toMatchObject({ _tag: "Declined", unsent: "unreachable" })
    for (const [failed, unsent] of [
      [crowded, "crowded"],
      [alone, "unreachable"],
      [new MaybeSent({ reason: "reset" }), "unreachable"]
    ] as const) {
      expect(yield* Effect.flip(preparedOrDeclined(Effect.fail(failed), unreadable))).toMatchObject({ unsent })
    }
  })
)

it.effect("an order that the provider has is looked up, also where it answers 429", () =>
  Effect.gen(function* () {
    const reply = { status: 429, text: "{}", json: {}, headers: {} } as unknown as ProviderReply
    const there = new Accepted({
      state: "processing",
      providerPaymentId: "batch",
      nextAction: null,
      providerStatus: null,
      actionData: {},
      providerData: {}
    })
    const declined = new Declined({ reason: "no" })
    expect(yield* outcomeOfOrder(Effect.succeed(reply), () => Effect.succeed(there))).toEqual(there)
    expect(yield* outcomeOfOrder(Effect.succeed(reply), () => declined)).toMatchObject({
      _tag: "Declined",
      code: "PROVIDER_BUSY"
    })
  })
)
