import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Callbacks } from "../../../src/payments/callbacks/Callbacks.ts"
import { Hint } from "../../../src/providers/port/Callback.ts"
import type { Provider } from "../../../src/providers/port/Provider.ts"
import { cardPayer } from "../support/CardPayer.ts"

const request = {
  method: "POST",
  query: {},
  authority: "",
  path: "/callbacks/stripe",
  headers: {},
  body: Buffer.from("{}")
}

const hints = [new Hint({ attempt: { reference: null, providerPaymentId: "of another customer" } })]

it.live("an unsigned callback about nothing of ours counts against its address, and a signed one does not", () =>
  Effect.gen(function* () {
    const { here, stripe } = yield* cardPayer("memory")
    const saying = (callback: Provider["callback"]): Provider => ({ ...stripe, callback })
    const received = (provider: Provider) =>
      Effect.flatMap(Callbacks, ({ receive }) => receive(provider, request)).pipe(Effect.provide(here))
    const unsigned = yield* received(saying(() => Effect.succeed({ events: hints, isUnsigned: true })))
    expect(unsigned).toMatchObject({ received: ["unknown payment"], isUnsignedAndIdle: true })
    const empty = yield* received(saying(() => Effect.succeed({ events: [], isUnsigned: true })))
    expect(empty).toMatchObject({ received: [], isUnsignedAndIdle: true })
    const signed = yield* received(saying(() => Effect.succeed({ events: hints })))
    expect(signed).toMatchObject({ received: ["unknown payment"], isUnsignedAndIdle: false })
  }).pipe(Effect.scoped)
)
