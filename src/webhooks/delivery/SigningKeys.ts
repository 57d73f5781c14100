/** Signing secrets that were opened a moment ago: an endpoint's deliveries follow each other, and its secret is the same. */
import { Effect } from "effect"
import type { WebhookId } from "../../domain/Identifiers.ts"
import { webhookSecretsKept } from "../../domain/policies/Webhooks.ts"
import { remember } from "../../domain/Remember.ts"
import type { VaultError, VaultService } from "../../platform/secrets/Vault.ts"
import { secretContext } from "../Secret.ts"
import type { ClaimedDelivery } from "./Delivery.ts"
import type { SigningSecrets } from "./HookHeaders.ts"

type Sealed = Pick<ClaimedDelivery, "previous_secret_sealed" | "secret_sealed" | "webhook_id">

/** A secret opens for one endpoint only, also when it was opened before. */
const nameOf = (sealed: string, webhookId: WebhookId): string => `${webhookId} ${sealed}`

export class SigningKeys {
  /** By the endpoint and the sealed text: a secret that was changed is another entry. */
  private readonly opened = new Map<string, string>()
  private readonly vault: VaultService

  constructor(vault: VaultService) {
    this.vault = vault
  }

  of({ previous_secret_sealed, secret_sealed, webhook_id }: Sealed): Effect.Effect<SigningSecrets, VaultError> {
    const current = this.opened.get(nameOf(secret_sealed, webhook_id))
    if (current !== undefined && previous_secret_sealed === null) return Effect.succeed({ current, previous: null })
    return Effect.all({
      current: this.open(secret_sealed, webhook_id),
      previous: previous_secret_sealed === null ? Effect.succeed(null) : this.open(previous_secret_sealed, webhook_id)
    })
  }

  private open(sealed: string, webhookId: WebhookId): Effect.Effect<string, VaultError> {
    const name = nameOf(sealed, webhookId)
    const known = this.opened.get(name)
    if (known !== undefined) return Effect.succeed(known)
    return Effect.map(this.vault.decrypt(sealed, secretContext(webhookId)), (secret) => {
      remember(this.opened, webhookSecretsKept, name, secret)
      return secret
    })
  }
}
