/** Orders that a provider of USDC refuses before any call. */
import { expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { CountryCode } from "../../../src/domain/Country.ts"
import type { SupportQuestion } from "../../../src/domain/Routing.ts"
import type { PaymentOrder, Provider } from "../../../src/providers/port/Provider.ts"

interface Answering {
  readonly calls: ReadonlyArray<unknown>
  readonly provider: Provider
}

interface Unserved {
  readonly orders: ReadonlyArray<readonly [why: string, order: PaymentOrder]>
  readonly network: string
  /** Besides a payin on that network. */
  readonly alsoFits?: ReadonlyArray<Partial<SupportQuestion>>
  readonly doesNotFit: ReadonlyArray<Partial<SupportQuestion>>
}

export const refusesUnsent = (
  answering: () => Answering,
  { alsoFits = [], doesNotFit, network, orders }: Unserved
): void => {
  it.effect.each(orders)("%s", ([, wrong]) =>
    Effect.gen(function* () {
      const { calls, provider } = answering()
      expect((yield* provider.initiate(wrong))._tag).toBe("Declined")
      expect(calls).toEqual([])
    })
  )

  it("and is said before any call", () => {
    const { supports } = answering().provider
    const country = CountryCode.make("KE")
    const question: SupportQuestion = { currency: "USDC", method: "crypto", flow: "inbound", network, country }
    for (const about of [{}, ...alsoFits]) expect(Either.isRight(supports({ ...question, ...about }))).toBe(true)
    for (const about of doesNotFit) expect(Either.isLeft(supports({ ...question, ...about }))).toBe(true)
  })
}
