/** All fakes, with the settings that point Corridor to them. */
import { Array as Arr, Effect, type Scope, Either } from "effect"
import type { ThirdParty } from "../../src/providers/port/ThirdParty.ts"
import { adyen } from "../../src/providers/adyen/AdyenAdapter.ts"
import { adyenFake } from "./AdyenFake.ts"
import { circle } from "../../src/providers/circle/CircleAdapter.ts"
import { circleFake } from "./CircleFake.ts"
import { coinbase } from "../../src/providers/coinbase/CoinbaseAdapter.ts"
import { coinbaseFake } from "./CoinbaseFake.ts"
import { flutterwaveFake } from "./FlutterwaveFake.ts"
import { flutterwave } from "../../src/providers/flutterwave/FlutterwaveAdapter.ts"
import { mpesaFake } from "./MpesaFake.ts"
import { mpesa } from "../../src/providers/mpesa/MpesaAdapter.ts"
import { mtnMomoFake } from "./MtnMomoFake.ts"
import { mtnMomo } from "../../src/providers/mtnMomo/MtnMomoAdapter.ts"
import { pawapayFake } from "./PawapayFake.ts"
import { pawapay } from "../../src/providers/pawapay/PawapayAdapter.ts"
import { paypalFake } from "./PaypalFake.ts"
import { paypal } from "../../src/providers/paypal/PaypalAdapter.ts"
import { paystackFake } from "./PaystackFake.ts"
import { paystack } from "../../src/providers/paystack/PaystackAdapter.ts"
import { stripeFake } from "./StripeFake.ts"
import { stripe } from "../../src/providers/stripe/StripeAdapter.ts"
import type { Fake } from "./Fake.ts"
import { credentialsAt, type FakeNotStarted, type FakeOptions, type RunningFake, startFake } from "./FakeServer.ts"
import { firstFakePort } from "../../src/platform/config/Settings.ts"
import { urlOf } from "../../src/domain/Url.ts"

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
  { fake: coinbaseFake, thirdParty: coinbase },
  { fake: mpesaFake, thirdParty: mpesa }
]

export interface StartedFake extends ShippedFake {
  readonly running: RunningFake
  /** Settings of Corridor for this fake. */
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

/** Settings of Corridor for fakes that already run from this port on. */
export const settingsOfFakesAt = (firstPort: number): ReadonlyMap<string, string> =>
  new Map(
    allFakes.flatMap((shipped, at) => {
      const url = `http://127.0.0.1:${firstPort + at}`
      return settingsFor(shipped, { url, credentials: credentialsAt(shipped.fake, url) })
    })
  )

export interface FakesOptions extends Omit<FakeOptions, "callbackUrl" | "port"> {
  /** Address of Corridor. */
  readonly callbackBase: string
  /** Port of the first fake; the others follow. By default any free ones. */
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

/** Starts the fakes whose ports are free; `missing`: why the others did not start. */
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

/** Options of the fakes on the command line. */
export interface FakeArguments {
  readonly callbackBase: string
  readonly firstPort: number
  readonly asJson: boolean
  /** Whether the fakes play providers of live mode, over TLS. */
  readonly isLive: boolean
}

export const usage = "Usage: npm run providers:fake -- [--callbacks URL] [--port FIRST] [--live] [--json]"

const defaults: FakeArguments = {
  callbackBase: "http://127.0.0.1:3000",
  firstPort: firstFakePort,
  asJson: false,
  isLive: false
}

const HIGHEST_PORT = 65_535

const isPort = (text: string | undefined): text is string =>
  text !== undefined && /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= HIGHEST_PORT

export const readArguments = (given: ReadonlyArray<string>): Either.Either<FakeArguments, string> => {
  let read = defaults
  for (let at = 0; at < given.length; at += 1) {
    const value = given[at + 1]
    switch (given[at]) {
      case "--json":
        read = { ...read, asJson: true }
        break
      case "--live":
        read = { ...read, isLive: true }
        break
      case "--callbacks":
        if (value === undefined || urlOf(value) === undefined)
          return Either.left(`--callbacks wants an address. ${usage}`)
        read = { ...read, callbackBase: value }
        at += 1
        break
      case "--port":
        if (!isPort(value)) return Either.left(`--port wants a number from 1 to ${HIGHEST_PORT}. ${usage}`)
        read = { ...read, firstPort: Number(value) }
        at += 1
        break
      default:
        return Either.left(`${given[at]} is not known. ${usage}`)
    }
  }
  return Either.right(read)
}
