/** Every fake that the product brings, each with what its third party calls the settings of an account. */
import { Array as Arr, Effect, type Scope } from "effect"
import type { ThirdParty } from "../../port/ThirdParty.ts"
import { adyen } from "../../adyen/AdyenAdapter.ts"
import { adyenFake } from "../../adyen/Fake.ts"
import { circle } from "../../circle/CircleAdapter.ts"
import { circleFake } from "../../circle/Fake.ts"
import { coinbase } from "../../coinbase/CoinbaseAdapter.ts"
import { coinbaseFake } from "../../coinbase/Fake.ts"
import { flutterwaveFake } from "../../flutterwave/Fake.ts"
import { flutterwave } from "../../flutterwave/FlutterwaveAdapter.ts"
import { mtnMomoFake } from "../../mtnMomo/Fake.ts"
import { mtnMomo } from "../../mtnMomo/MtnMomoAdapter.ts"
import { pawapayFake } from "../../pawapay/Fake.ts"
import { pawapay } from "../../pawapay/PawapayAdapter.ts"
import { paypalFake } from "../../paypal/Fake.ts"
import { paypal } from "../../paypal/PaypalAdapter.ts"
import { paystackFake } from "../../paystack/Fake.ts"
import { paystack } from "../../paystack/PaystackAdapter.ts"
import { stripeFake } from "../../stripe/Fake.ts"
import { stripe } from "../../stripe/StripeAdapter.ts"
import type { Fake } from "../Fake.ts"
import { credentialsAt, type FakeNotStarted, type FakeOptions, type RunningFake, startFake } from "../FakeServer.ts"

export interface ShippedFake {
  readonly fake: Fake
  readonly thirdParty: Pick<ThirdParty, "fields" | "title">
}

/** In the order in which providers are named everywhere. */
export const allFakes: ReadonlyArray<ShippedFake> = [
  { fake: stripeFake, thirdParty: stripe },
  { fake: adyenFake, thirdParty: adyen },
  { fake: paypalFake, thirdParty: paypal },
  { fake: paystackFake, thirdParty: paystack },
  { fake: flutterwaveFake, thirdParty: flutterwave },
  { fake: mtnMomoFake, thirdParty: mtnMomo },
  { fake: pawapayFake, thirdParty: pawapay },
  { fake: circleFake, thirdParty: circle },
  { fake: coinbaseFake, thirdParty: coinbase }
]

export interface StartedFake extends ShippedFake {
  readonly running: RunningFake
  /** What Corridor is started with so that it speaks to this fake. */
  readonly settings: ReadonlyArray<readonly [name: string, value: string]>
}

const settingsFor = (
  { fake, thirdParty }: ShippedFake,
  { credentials, url }: Pick<RunningFake, "credentials" | "url">
): StartedFake["settings"] => [
  [`${fake.name.toUpperCase()}_BASE_URL`, url],
  ...Object.entries(credentials).flatMap(([name, value]): StartedFake["settings"] => {
    const field = thirdParty.fields[name]
    return field === undefined ? [] : [[field.env, value]]
  })
]

/** What Corridor is started with so that it speaks to fakes that run there, whoever started them. */
export const settingsOfFakesAt = (firstPort: number): ReadonlyMap<string, string> =>
  new Map(
    allFakes.flatMap((shipped, at) => {
      const url = `http://127.0.0.1:${firstPort + at}`
      return settingsFor(shipped, { url, credentials: credentialsAt(shipped.fake, url) })
    })
  )

export interface FakesOptions extends Omit<FakeOptions, "callbackUrl" | "port"> {
  /** Where Corridor is reached. */
  readonly callbackBase: string
  /** Of the first of them; the others follow. Any that are free, unless it is said. */
  readonly firstPort?: number
}

export const startFakes = (
  { callbackBase, firstPort, ...options }: FakesOptions,
  fakes: ReadonlyArray<ShippedFake> = allFakes
): Effect.Effect<ReadonlyArray<StartedFake>, FakeNotStarted, Scope.Scope> =>
  Effect.forEach(fakes, (shipped, at) =>
    Effect.map(
      startFake(shipped.fake, {
        ...options,
        callbackUrl: `${callbackBase.replace(/\/+$/, "")}/callbacks/${shipped.fake.name}`,
        ...(firstPort === undefined ? {} : { port: firstPort + at })
      }),
      (running) => ({ ...shipped, running, settings: settingsFor(shipped, running) })
    )
  )

/** Those whose place is free; of each of the others, why it is not there. */
export const startFreeFakes = (
  options: FakesOptions & { readonly firstPort: number },
  fakes: ReadonlyArray<ShippedFake> = allFakes
): Effect.Effect<
  { readonly started: ReadonlyArray<StartedFake>; readonly missing: ReadonlyArray<FakeNotStarted> },
  never,
  Scope.Scope
> =>
  Effect.map(
    Effect.forEach(fakes, (shipped, at) =>
      Effect.either(startFakes({ ...options, firstPort: options.firstPort + at }, [shipped]))
    ),
    (all) => ({ started: Arr.getRights(all).flat(), missing: Arr.getLefts(all) })
  )
