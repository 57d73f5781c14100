/**
 * References of links, and tokens that recognise the browser in which a payment was begun. The form carries a token of
 * its submission; the answer stores it in a cookie of this link. The address of the payment's page holds no token.
 */
import { Duration } from "effect"
import { payerCookieLife } from "../../domain/policies/PaymentPolicies.ts"
import { isSame } from "../../providers/port/Callback.ts"
import type { PaymentLink } from "./LinkStore.ts"

type Mac = (text: string) => string

export const holderToken = ({ link_id }: PaymentLink, submission: string, mac: Mac): string =>
  mac(JSON.stringify([link_id, submission]))

export const isHolderToken = (given: string, link: PaymentLink, submission: string, mac: Mac): boolean =>
  isSame(holderToken(link, submission, mac), given)

/** Cookie of one payment: a browser may have several payments of an open link. */
const cookieName = (submission: string): string => `corridor_payer_${submission.slice(0, 8)}`

/** Limited to the pages of this link under the public address. */
export const holderCookie = (publicUrl: string, linkRef: string, submission: string, token: string): string => {
  const { pathname, protocol } = new URL(publicUrl)
  const path = `${pathname.replace(/\/$/, "")}/pay/${linkRef}`
  const age = Duration.toSeconds(payerCookieLife)
  const secure = protocol === "https:" ? "; Secure" : ""
  return `${cookieName(submission)}=${token}; Path=${path}; Max-Age=${age}; SameSite=Lax; HttpOnly${secure}`
}

/** The token in the cookie of this submission; empty if there is none. */
export const cookieFor = (cookies: string | undefined, submission: string): string => {
  const name = `${cookieName(submission)}=`
  const found = (cookies ?? "").split(/;\s*/).find((one) => one.startsWith(name))
  return found === undefined ? "" : found.slice(name.length)
}

/** Unguessable references for addresses that are their own credential: 136 random bits in base62. */
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const BASE = BigInt(ALPHABET.length)

export const REF_BYTES = 17
const REF_LENGTH = 23

const digitsOf = (value: bigint): string =>
  (value < BASE ? "" : digitsOf(value / BASE)) + ALPHABET.charAt(Number(value % BASE))

/** Takes `REF_BYTES` cryptographically random bytes. */
export const linkRefFrom = (bytes: Uint8Array): string =>
  digitsOf(BigInt(`0x${Buffer.from(bytes).toString("hex")}`)).padStart(REF_LENGTH, "0")

const REF_SHAPE = /^[0-9A-Za-z]{23}$/

export const isLinkRef = (text: string): boolean => REF_SHAPE.test(text)
