/** What the form of a link carries to prove which price it showed, and until when that holds. It says nothing itself. */
import { timingSafeEqual } from "node:crypto"
import type { Money } from "../../domain/Money.ts"
import type { PaymentLink } from "./PaymentLink.ts"
import type { Price } from "./Price.ts"

type Mac = (text: string) => string

const textOf = (money: Money): string => `${money.toNumericText()} ${money.currency}`

const macOf = ({ link_id }: PaymentLink, { pays, receives }: Price, expires: string, mac: Mac): string =>
  mac(JSON.stringify([link_id, textOf(pays), textOf(receives), expires]))

export const sealPrice = (link: PaymentLink, price: Price, expires: number, mac: Mac): string => {
  const at = String(expires)
  return `${at}.${macOf(link, price, at, mac)}`
}

/** Whether this very price was shown on the page of this link, not too long ago. */
export const wasShown = (seal: string, link: PaymentLink, price: Price, now: number, mac: Mac): boolean => {
  const [, expires, given] = /^(\d{1,15})\.([0-9a-f]+)$/.exec(seal) ?? []
  if (expires === undefined || given === undefined || Number(expires) <= now) return false
  const [expected, offered] = [Buffer.from(macOf(link, price, expires, mac)), Buffer.from(given)]
  return expected.length === offered.length && timingSafeEqual(expected, offered)
}
