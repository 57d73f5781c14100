/**
 * Risk rules: limits by amount and by number over a window, for what identifies a payer or a beneficiary. Pure:
 * the payments that count are passed in.
 */
import { BigDecimal, Either, Option } from "effect"
import ipaddr from "ipaddr.js"
import { startsLikeIban } from "./AccountFormat.ts"
import { type AnyCurrencyCode, isAnyCurrencyCode } from "./Currency.ts"
import type { Flow } from "./Corridor.ts"
import type { CountryCode } from "./Country.ts"
import { type Rate, taken } from "./Exchange.ts"
import { plainText } from "./MailSafeText.ts"
import { Money } from "./Money.ts"
import { readPhoneNumber } from "./PhoneNumber.ts"

/** Key by which payments are counted together. `beneficiary` is the account that is paid, under any of its ids. */
export const subjects = ["phone", "email", "card", "ip_address", "wallet_address", "beneficiary"] as const
export type Subject = (typeof subjects)[number]

/** `payer`: each of phone, e-mail address and card. */
export const ruleSubjects = [...subjects, "payer"] as const
type RuleSubject = (typeof ruleSubjects)[number]

/** Lists also have names, which sanctions screening compares. */
export const listSubjects = [...subjects, "name"] as const
export type ListSubject = (typeof listSubjects)[number]

/** `structuring`: payments that reach the organisation's review threshold together. */
export const ruleKinds = ["velocity", "structuring"] as const
export const ruleActions = ["refuse", "hold", "alert"] as const
type RuleAction = (typeof ruleActions)[number]

export interface RuleTerms {
  readonly kind: (typeof ruleKinds)[number]
  readonly subject: RuleSubject
  /** Null: every direction. */
  readonly direction: Flow | null
  readonly max_count: number | null
  readonly max_amount: Money | null
  readonly window_seconds: number
  readonly action: RuleAction
  readonly is_active: boolean
}

export interface RiskRule extends RuleTerms {
  readonly name: string
  /** Belongs to the platform, which counts payments of all organisations together. */
  readonly ofPlatform: boolean
}

/** Values that identify the parties of a payment, in the one form in which they are compared. */
export type Identities = Readonly<Record<ListSubject, ReadonlyArray<string>>>

export const subjectsOf = ({ subject }: Pick<RuleTerms, "subject">): ReadonlyArray<Subject> =>
  subject === "payer" ? ["phone", "email", "card"] : [subject]

export const appliesTo = ({ direction }: Pick<RuleTerms, "direction">, flow: Flow): boolean =>
  direction === null || direction === flow

export const normalizeEmail = (text: string): string => plainText(text).trim().toLowerCase()

/** A name as it is screened: without accents' encodings, characters that are not seen, and repeated spaces. */
export const tidyName = (text: string): string =>
  plainText(text)
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim()

/** A name as it is compared: also without case. */
export const normalizeName = (text: string): string => tidyName(text).toLowerCase()

/** Normalises the different spellings of one phone number. */
const normalizePhone = (text: string, country: CountryCode): string =>
  Either.getOrElse(readPhoneNumber(text, country), () => text.replaceAll(/\D/g, ""))

/** Addresses of Ethereum and the newer ones of Bitcoin are the same in any case; others are not. */
export const normalizeWallet = (text: string): string => (/^(0x|bc1)/i.test(text) ? text.toLowerCase() : text)

/** Without octal, hexadecimal and shortened forms of IPv4, which ipaddr.js takes too. */
export const isIpAddress = (text: string): boolean =>
  ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)

/** Normalises the different spellings of one IP address; an IPv4 address as IPv6 is the same address. */
export const normalizeIp = (text: string): string => {
  const trimmed = text.trim()
  return isIpAddress(trimmed) ? ipaddr.process(trimmed).toString() : trimmed.toLowerCase()
}

type Details = Readonly<Record<string, unknown>>

interface Parties {
  readonly country: CountryCode
  readonly direction: Flow
  readonly payer_details: Details
  readonly mobile_money_details: Details
  readonly card_details: Details
  readonly bank_account: Details
  readonly recipient_info: Details
  readonly ramp: { readonly business_name: string | null } | null
}

const textIn = (details: unknown, name: string): ReadonlyArray<string> => {
  const value = typeof details === "object" && details !== null ? (details as Details)[name] : undefined
  return typeof value === "string" && value.trim() !== "" ? [value] : []
}

const distinct = (values: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(values)]

const ofUnitedKingdom = /^GB\d{2}[A-Z]{4}(\d{6})(\d{8})$/

/** An IBAN names its bank: a bank code beside it says nothing. A UK account is the same by its sort code. */
const bankAccountOf = (bank: unknown, account: string): string => {
  const compact = (text: string) => text.replaceAll(/[\s-]/g, "").toUpperCase()
  const number = compact(account)
  if (!startsLikeIban(number)) {
    const country = textIn(bank, "country").map((code) => (/^(GG|IM|JE)$/.test(code) ? "GB" : code))
    return ["bank", ...[...country, ...textIn(bank, "bank_code")].map(compact), number].join(" ")
  }
  const [, sortCode, local] = ofUnitedKingdom.exec(number) ?? []
  return sortCode === undefined ? `bank ${number}` : `bank GB ${sortCode} ${local}`
}

/** The account that is paid, as one text. */
const destinationOf = (recipient: Details, phones: ReadonlyArray<string>, wallets: ReadonlyArray<string>) => {
  const bank = recipient["bank_details"]
  const [account] = textIn(bank, "account_number")
  if (account !== undefined) return [bankAccountOf(bank, account)]
  if (wallets.length > 0) return wallets.map((wallet) => `wallet ${wallet}`)
  const paypal = textIn(recipient["wallet_details"], "email").map((email) => `wallet ${normalizeEmail(email)}`)
  return paypal.length > 0 ? paypal : phones.map((phone) => `mobile_money ${phone}`)
}

/** `card`: keyed hash of the card's number. */
export const identitiesOf = (
  payment: Parties,
  { card, ip }: { readonly card: string | null; readonly ip: string | null }
): Identities => {
  const { country, payer_details: payer, recipient_info: recipient } = payment
  const paysOut = payment.direction === "outbound"
  const momo = [
    ...textIn(payment.mobile_money_details, "phone_number"),
    ...textIn(recipient["momo_details"], "phone_number")
  ].map((phone) => normalizePhone(phone, country))
  const phones = [...textIn(payer, "phone"), ...textIn(recipient, "phone_number")].map((phone) =>
    normalizePhone(phone, country)
  )
  const wallets = [...textIn(recipient, "wallet_address"), ...textIn(recipient["wallet_details"], "address")].map(
    normalizeWallet
  )
  const hasRecipient = Object.keys(recipient).length > 0
  const ofRecipient = textIn(recipient["momo_details"], "phone_number").map((phone) => normalizePhone(phone, country))
  const names = [
    ...textIn(payer, "name"),
    ...textIn(payer["bank_details"], "account_name"),
    ...textIn(payment.card_details, "card_holder_name"),
    [...textIn(recipient, "fname"), ...textIn(recipient, "lname")].join(" "),
    ...textIn(recipient["bank_details"], "account_name"),
    ...(paysOut ? textIn(payment.bank_account, "account_name") : []),
    ...textIn(payment.ramp, "business_name")
  ].filter((name) => name.trim() !== "")
  return {
    phone: distinct([...phones, ...momo]),
    email: distinct(
      [...textIn(payer, "email"), ...textIn(recipient, "email"), ...textIn(recipient["wallet_details"], "email")].map(
        normalizeEmail
      )
    ),
    card: card === null ? [] : [card],
    ip_address: ip === null ? [] : [normalizeIp(ip)],
    wallet_address: distinct(wallets),
    beneficiary: hasRecipient ? distinct(destinationOf(recipient, ofRecipient, wallets)) : [],
    name: distinct(names.map(tidyName).filter((name) => name !== ""))
  }
}

/** Payments that count for one identity within a rule's window, this one not included. */
export interface Counted {
  readonly count: number
  readonly sums: ReadonlyArray<Money>
}

/** Base rates into the currency of a limit; none where there is no fresh one. */
export type RatesTo = (from: AnyCurrencyCode, to: AnyCurrencyCode) => Option.Option<Rate>

/** Rounded up, against the payer. Undefined without a rate. */
const totalIn = (sums: ReadonlyArray<Money>, currency: AnyCurrencyCode, rates: RatesTo): Money | undefined => {
  let minor = 0n
  for (const sum of sums) {
    if (sum.currency === currency) {
      minor += sum.minor
      continue
    }
    const rate = rates(sum.currency, currency)
    if (Option.isNone(rate)) return undefined
    minor += taken(sum, { from: sum.currency, to: currency, rate: rate.value }).minor
  }
  return new Money({ currency, minor })
}

/** The organisation's review threshold, which structuring rules compare with. */
export interface ReviewLimit {
  readonly threshold: BigDecimal.BigDecimal
  readonly currency: string
}

export interface RuleHit {
  readonly action: RuleAction
  readonly rule: string
  readonly ofPlatform: boolean
  readonly reason: string
}

export const describeWindow = (seconds: number): string => {
  const units = [
    [86_400, "day"],
    [3_600, "hour"],
    [60, "minute"],
    [1, "second"]
  ] as const
  const [length, unit] = units.find(([length]) => seconds % length === 0) ?? [1, "second"]
  const many = seconds / length
  return `${many} ${unit}${many === 1 ? "" : "s"}`
}

/** Beginning of each reason that a rule gives. */
export const ruleTitle = ({ name, ofPlatform }: Pick<RiskRule, "name" | "ofPlatform">): string =>
  `the ${ofPlatform ? "platform's " : ""}rule "${name}"`

/** An amount that cannot be compared is held, unless the rule only alerts. */
const incomparable = (rule: RiskRule, amount: Money): RuleHit => ({
  action: rule.action === "alert" ? "alert" : "hold",
  rule: rule.name,
  ofPlatform: rule.ofPlatform,
  reason: `${ruleTitle(rule)}: there is no rate to compare ${amount.toString()} with its limit.`
})

const words: Readonly<Record<Subject, string>> = {
  phone: "this phone number",
  email: "this e-mail address",
  card: "this card",
  ip_address: "this IP address",
  wallet_address: "this wallet address",
  beneficiary: "this beneficiary"
}

const structuring = (
  rule: RiskRule,
  subject: Subject,
  amount: Money,
  counted: Counted,
  limit: ReviewLimit,
  rates: RatesTo
): RuleHit | undefined => {
  const { currency, threshold } = limit
  // A payment alone is the review threshold's own business.
  if (counted.count === 0 || !isAnyCurrencyCode(currency)) return undefined
  const total = totalIn([...counted.sums, amount], currency, rates)
  if (total === undefined) return incomparable(rule, amount)
  if (BigDecimal.lessThan(total.toDecimal(), threshold)) return undefined
  const within = describeWindow(rule.window_seconds)
  const reason = `${ruleTitle(rule)}: ${counted.count + 1} payments of ${words[subject]} within ${within} reach the review threshold together.`
  return { action: rule.action, rule: rule.name, ofPlatform: rule.ofPlatform, reason }
}

/** Decides whether a payment exceeds a limit, together with those that count before it. */
export const evaluate = (
  rule: RiskRule,
  subject: Subject,
  amount: Money,
  counted: Counted,
  limit: ReviewLimit | undefined,
  rates: RatesTo
): RuleHit | undefined => {
  if (rule.kind === "structuring") {
    return limit === undefined ? undefined : structuring(rule, subject, amount, counted, limit, rates)
  }
  const { max_amount, max_count } = rule
  const within = describeWindow(rule.window_seconds)
  const hit = (limit: string): RuleHit => ({
    action: rule.action,
    rule: rule.name,
    ofPlatform: rule.ofPlatform,
    reason: `${ruleTitle(rule)}: more than ${limit} of ${words[subject]} within ${within}.`
  })
  if (max_count !== null && counted.count + 1 > max_count) {
    return hit(`${max_count} payment${max_count === 1 ? "" : "s"}`)
  }
  if (max_amount === null) return undefined
  const total = totalIn([...counted.sums, amount], max_amount.currency, rates)
  if (total === undefined) return incomparable(rule, amount)
  return total.minor > max_amount.minor ? hit(max_amount.toString()) : undefined
}
