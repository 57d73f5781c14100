/** API keys through the typed client, with the defaults that the contract's decoded types always spell out. */
import { Effect } from "effect"
import type { KeyId } from "../../../src/domain/Ids.ts"
import type { Role } from "../../../src/domain/Access.ts"
import { clientFor } from "../../support/Client.ts"
import type { Credential } from "../../support/TestCredentials.ts"

interface Asked {
  readonly limit?: number
  readonly org_id?: string
  readonly last_evaluated_key?: string
}

export const KEYS = "/v1/public/api-keys"

export const listKeys = (credential: Credential, asked: Asked = {}) =>
  Effect.flatMap(clientFor(credential), (client) => client.apiKeys.list({ urlParams: { limit: 100, ...asked } }))

export const createKey = (
  credential: Credential,
  about: { readonly name?: string; readonly role?: Role; readonly org_id?: string } = {}
) =>
  Effect.flatMap(clientFor(credential), (client) =>
    Effect.map(client.apiKeys.create({ payload: { name: "Till", role: "org-admin", ...about } }), ({ data }) => data)
  )

export const rotateKey = (credential: Credential, api_key_id: KeyId, grace_seconds = 0) =>
  Effect.flatMap(clientFor(credential), (client) =>
    Effect.map(client.apiKeys.rotate({ path: { api_key_id }, payload: { grace_seconds } }), ({ data }) => data)
  )

export const revokeKey = (credential: Credential, api_key_id: KeyId) =>
  Effect.flatMap(clientFor(credential), (client) => client.apiKeys.revoke({ path: { api_key_id } }))
