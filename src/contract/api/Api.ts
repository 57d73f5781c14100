/** The HTTP API: all groups of endpoints. The server interprets it; the typed client and the reference read it. */
import { HttpApi, OpenApi } from "@effect/platform"
import { AnalyticsApi } from "./Analytics.ts"
import { ApiKeysApi } from "./ApiKeys.ts"
import { AuditLogApi } from "./AuditLog.ts"
import { BalancesApi } from "./Balances.ts"
import { BankValidationApi } from "./BankValidation.ts"
import { BeneficiariesApi } from "./Beneficiaries.ts"
import { BadRequest, Forbidden, InternalError, ServiceUnavailable, TooManyRequests, Unauthorized } from "./Errors.ts"
import { EscrowApi } from "./Escrow.ts"
import { InvitationsApi } from "./Invitations.ts"
import { introduction } from "./Introduction.ts"
import { MembersApi } from "./Members.ts"
import { KybApi } from "./Kyb.ts"
import { NetworksApi } from "./Networks.ts"
import { OrganizationsApi } from "./Organizations.ts"
import { PaymentLinksApi } from "./PaymentLinks.ts"
import { PaymentsApi } from "./Payments.ts"
import { PaymentsInitApi } from "./PaymentsInit.ts"
import { ProviderConfigsApi } from "./ProviderConfigs.ts"
import { RampsApi } from "./Ramps.ts"
import { RatesApi } from "./Rates.ts"
import { ResolutionsApi } from "./Resolutions.ts"
import { SessionApi } from "./Session.ts"
import { UsersApi } from "./Users.ts"
import { VerificationApi } from "./Verification.ts"
import { VirtualAccountsApi } from "./VirtualAccounts.ts"
import { WebhookLogApi } from "./WebhookLog.ts"
import { WebhooksApi } from "./Webhooks.ts"

export const TITLE = "Corridor"

export const Api = HttpApi.make("corridor")
  .add(ApiKeysApi)
  .add(AuditLogApi)
  .add(BeneficiariesApi)
  .add(BankValidationApi)
  .add(VirtualAccountsApi)
  .add(EscrowApi)
  .add(RatesApi)
  .add(NetworksApi)
  .add(PaymentsInitApi)
  .add(RampsApi)
  .add(PaymentsApi)
  .add(ResolutionsApi)
  .add(PaymentLinksApi)
  .add(ProviderConfigsApi)
  .add(OrganizationsApi)
  .add(KybApi)
  .add(MembersApi)
  .add(InvitationsApi)
  .add(UsersApi)
  .add(SessionApi)
  .add(VerificationApi)
  .add(AnalyticsApi)
  .add(BalancesApi)
  .add(WebhooksApi)
  .add(WebhookLogApi)
  .addError(BadRequest)
  .addError(Unauthorized)
  .addError(Forbidden)
  .addError(TooManyRequests)
  .addError(ServiceUnavailable)
  .addError(InternalError)
  .prefix("/v1")
  .annotate(OpenApi.Title, TITLE)
  .annotate(OpenApi.Version, "1.0")
  .annotate(OpenApi.License, { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" })
  .annotate(OpenApi.Description, introduction)
