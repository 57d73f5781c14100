/** An order for MTN in Uganda, an account there, and MTN's own definitions of what it takes and answers. */
import type { ProviderCall, ProviderHttp } from "../../../src/providers/client/ProviderHttp.ts"
import { mtnMomoFake } from "../../fakes/MtnMomoFake.ts"
import { mtnMomo } from "../../../src/providers/mtnMomo/MtnMomoAdapter.ts"
import { type AboutAccount, connected } from "../support/ConnectedAdapter.ts"
import { type About, amount, orderOf } from "../support/TestOrders.ts"
import { type Flaws, publishedContract, unpublished } from "../support/PublishedContract.ts"

export const ugandan = (about: About = {}) =>
  orderOf({
    method: "mobile_money",
    country: "UG",
    money: amount("1500", "UGX"),
    mobileMoney: { network: "mtn", phoneNumber: "+256772123456" },
    ...about
  })

export const atMtn = (
  http: ProviderHttp,
  credentials: Readonly<Record<string, string>> = {},
  about: AboutAccount<typeof mtnMomo.fields> = {}
) => connected(mtnMomo, http, { ...mtnMomoFake.credentials, ...credentials }, about)

const files = {
  collection: "mtn-momo-collection.openapi.json",
  disbursement: "mtn-momo-disbursement.openapi.json"
} as const

export const why = unpublished(...Object.values(files))

/** Each product has its own definition, in which its name is no part of a path. */
const ofProduct = (path: string) => {
  const [, product = "collection", rest = path] = /^\/(collection|disbursement)(\/.*)$/.exec(path) ?? []
  return { contract: publishedContract(files[product as keyof typeof files]), rest }
}

export const callFlaws = (call: ProviderCall): Flaws => {
  const { contract, rest } = ofProduct(call.path)
  return contract.callFlaws({ ...call, path: rest })
}

export const answerFlaws = (method: string, path: string, status: number, text: string): Flaws => {
  const { contract, rest } = ofProduct(path)
  return contract.answerFlaws(method, rest, status, text)
}
