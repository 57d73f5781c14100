/** Payment links as an organisation makes them, and reads them again. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Cast, Credential } from "../../support/Credentials.ts"
import { bodyOf, post, send } from "../../support/Send.ts"

export interface Link {
  readonly link_id: string
  readonly link_ref: string
  readonly status: string
  readonly paid_at: string | null
  readonly url: string
  readonly [field: string]: unknown
}

export const linksOf = (orgId: string): string => `/v1/orgs/${orgId}/payment-links`

export const kenyan = { amount: 1500, currency: "KES", amount_type: "fixed", description: "Invoice 1042" }

export const askForLink = (credential: Credential, orgId: string, body: object) =>
  post(linksOf(orgId), { ...credential }, body)

export const newLink = (owner: Cast, body: object = kenyan) =>
  Effect.map(askForLink(owner.key, owner.org_id, body), (answer) => {
    expect(answer.status, answer.text).toBe(201)
    return (bodyOf(answer) as { readonly data: Link }).data
  })

export const linkOf = (owner: Cast, linkId: string) =>
  Effect.map(send(`${linksOf(owner.org_id)}/${linkId}`, { headers: { ...owner.key } }), (answer) => {
    expect(answer.status, answer.text).toBe(200)
    return (bodyOf(answer) as { readonly data: Link }).data
  })

export const cancelLink = (credential: Credential, orgId: string, linkId: string) =>
  send(`${linksOf(orgId)}/${linkId}`, { method: "DELETE", headers: { ...credential } })
