/**
 * Declaration of a third party: addresses, credential fields, served corridors. Settings, routing and the table of
 * providers are made from it.
 */
import { Either, Redacted } from "effect"
import type { Flow, PaymentMethod, ThirdPartyName } from "../../domain/Corridor.ts"
import { thirdPartyTitles } from "../../domain/ThirdPartyTitles.ts"
import type { ConfigId } from "../../domain/Ids.ts"
import type { Mode } from "../../platform/config/Settings.ts"
import type { ProviderHttp } from "../client/ProviderHttp.ts"
import type { SupportQuestion } from "../../domain/Routing.ts"
import type { Provider } from "./Provider.ts"

/** Tells a third party's test mode from its live mode by a text. A text that fits neither pattern is of no mode. */
export interface ModeMarks {
  readonly sandbox: RegExp
  readonly live?: RegExp
}

export interface CredentialField {
  /** The setting that holds the platform's own, such as STRIPE_SECRET_KEY. */
  readonly env: string
  /** Meaning and source, for docs/providers.md. */
  readonly about: string
  readonly optional?: true
  /** Of sandbox mode: `corridor providers setup` makes it there, so that the setting may be missing. */
  readonly madeInSandbox?: true
  /** Fit to be shown: an account's name, an environment. */
  readonly shown?: true
  /** The same value means the same account. */
  readonly identifies?: true
  /** Multi-line value that is never sent: the PEM of a key. */
  readonly lines?: true
  /** Address: https, or http in sandbox mode. */
  readonly isAddress?: true
  /** Where the value shows its mode: the prefix of a key, the name of an environment. */
  readonly marks?: ModeMarks
}

export type CredentialFields = Readonly<Record<string, CredentialField>>

export type Credentials<Fields extends CredentialFields> = {
  readonly [Name in keyof Fields]: Fields[Name] extends { readonly optional: true } | { readonly madeInSandbox: true }
    ? Redacted.Redacted | undefined
    : Redacted.Redacted
}

/** An account at the third party: the platform's, or the one that a configuration brings. */
export interface Account<Fields extends CredentialFields> {
  readonly configId: ConfigId | null
  readonly mode: Mode
  readonly credentials: Credentials<Fields>
  readonly baseUrl: string
  /** Where this account's callbacks arrive. */
  readonly callbackUrl: string
  /** Whether card numbers may be passed on. */
  readonly rawCards: boolean
  readonly http: ProviderHttp
}

export interface Served {
  readonly method: PaymentMethod
  readonly flow: Exclude<Flow, "external">
  /** `everywhere`: wherever it is configured. */
  readonly countries: ReadonlyArray<string> | "everywhere"
  readonly currencies: ReadonlyArray<string>
  /** Where the method has networks: those that it reaches. */
  readonly networks?: ReadonlyArray<string>
}

/** Work of an operator at the provider before it can be used. */
export interface Setup {
  /** Keys to make, with their rights. */
  readonly keys: ReadonlyArray<string>
  /** Action of `corridor providers setup` by the provider's own API. Undefined: the API has no call for it. */
  readonly registers?: string
  /** Where the callback address is entered by hand. Null: every order names it. */
  readonly callbacks: {
    readonly at: string
    /** Names of the events to subscribe to; none: there is no choice. */
    readonly events: ReadonlyArray<string>
    /** The field of its secret or id; none: a key above verifies callbacks, or nothing does. */
    readonly secret?: string
    /** A second secret, needed where another field is set. */
    readonly alsoSecret?: { readonly field: string; readonly neededWith: string }
  } | null
}

export interface ThirdParty<Fields extends CredentialFields = CredentialFields> {
  readonly name: ThirdPartyName
  /** Name in the provider's own spelling. */
  readonly title: string
  readonly baseUrls: { readonly sandbox: string; readonly live: string }
  /** Signs of test mode, beside those in the fields' values. */
  readonly modes: {
    /** Of the host of its address. */
    readonly hosts?: ModeMarks
    /** Of the bodies of its answers and callbacks: the members that say it, at the top, in `data` or in its items. */
    readonly said?: Readonly<Record<string, ModeMarks>>
  }
  readonly fields: Fields
  readonly serves: ReadonlyArray<Served>
  readonly refunds: boolean
  readonly setup: Setup
  /** Currencies in which it issues details for virtual accounts. */
  readonly issues?: ReadonlyArray<string>
  readonly connect: (account: Account<Fields>) => Provider
}

/** Result of an adapter's `connect`. Support follows from `serves`, unless the account decides it. */
export type Connected = Omit<Provider, "name" | "supports"> & Pick<Partial<Provider>, "supports">

/** Declaration of an adapter. Its title is in the table of third parties. */
interface Declaration<Fields extends CredentialFields> extends Omit<ThirdParty<Fields>, "connect" | "title"> {
  readonly title?: string
  readonly connect: (account: Account<Fields>) => Connected
}

export const thirdParty = <const Fields extends CredentialFields>(
  declared: Declaration<Fields>
): ThirdParty<Fields> => {
  const { connect, name, serves, title = thirdPartyTitles[name] } = declared
  const supports = servedBy(title, serves)
  return { ...declared, title, connect: (account) => ({ name, supports, ...connect(account) }) }
}

export const credentialText = (credential: Redacted.Redacted | undefined): string | undefined =>
  credential === undefined ? undefined : Redacted.value(credential)

const listIn = (text: string | ReadonlyArray<string>): ReadonlyArray<string> =>
  typeof text === "string" ? text.split(" ") : text

/** Corridors of one method, in one flow or in both. Countries and currencies in a text are separated by spaces. */
export const serving = (
  flow: Served["flow"] | "both",
  method: PaymentMethod,
  countries: string | ReadonlyArray<string>,
  currencies: string | ReadonlyArray<string>,
  networks?: ReadonlyArray<string>
): ReadonlyArray<Served> =>
  (flow === "both" ? (["inbound", "outbound"] as const) : [flow]).map((one) => ({
    method,
    flow: one,
    countries: countries === "everywhere" ? countries : listIn(countries),
    currencies: listIn(currencies),
    ...(networks === undefined ? {} : { networks })
  }))

const names = (all: ReadonlyArray<string>): string => [...new Set(all)].join(", ")

/** Finds a declared corridor for the question, or the first thing that does not fit. */
export const servedBy =
  (title: string, serves: ReadonlyArray<Served>): Provider["supports"] =>
  ({ country, currency, flow, method, network }: SupportQuestion) => {
    const byMethod = serves.filter((one) => one.method === method && one.flow === flow)
    if (byMethod.length === 0) return Either.left(`${title} does not serve ${method}, ${flow}.`)
    const there = byMethod.filter((one) => one.countries === "everywhere" || one.countries.includes(country))
    if (there.length === 0) return Either.left(`${title} does not serve ${method}, ${flow}, in ${country}.`)
    const inCurrency = there.filter((one) => one.currencies.includes(currency))
    if (inCurrency.length === 0) {
      const others = names(there.flatMap((one) => one.currencies))
      return Either.left(`${title} does not take ${currency} by ${method} in ${country}, only ${others}.`)
    }
    return network === null || inCurrency.some((one) => one.networks === undefined || one.networks.includes(network))
      ? Either.void
      : Either.left(`${title} does not reach the network ${network} in ${country}.`)
  }
