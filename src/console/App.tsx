/** Entry point of the console: sign-in, then the page that the address names. */
import { effect } from "@preact/signals"
import { render } from "preact"
import { Page } from "./components/PageFrame.tsx"
import { EmptyState } from "./components/DataTable.tsx"
import { ProblemNote, Skeleton } from "./components/Loading.tsx"
import { Shell } from "./components/Shell.tsx"
import { AcceptInvitation, ReturningPage, SignInPage } from "./pages/SignInPage.tsx"
import { AccountPage, AccountsPage } from "./pages/AccountsPage.tsx"
import { BeneficiariesPage, BeneficiaryPage } from "./pages/BeneficiariesPage.tsx"
import { OrganizationPage } from "./pages/OrganizationPage.tsx"
import { EndpointPage } from "./pages/webhooks/WebhookEndpoints.tsx"
import { AuditPage } from "./pages/AuditPage.tsx"
import { EscrowPage, EscrowsPage } from "./pages/EscrowPage.tsx"
import { ApiKeysPage } from "./pages/ApiKeysPage.tsx"
import { KybApplicationPage, KybPage } from "./pages/KybPage.tsx"
import { PaymentLinksPage } from "./pages/PaymentLinksPage.tsx"
import { MembersPage } from "./pages/MembersPage.tsx"
import { OverviewPage } from "./pages/overview/OverviewPage.tsx"
import { PaymentPage } from "./pages/payments/PaymentPage.tsx"
import { PaymentsPage } from "./pages/payments/PaymentsPage.tsx"
import { ProvidersPage } from "./pages/providers/ProvidersPage.tsx"
import { RatesPage } from "./pages/RatesPage.tsx"
import { RulesPage } from "./pages/rules/RulesPage.tsx"
import { OperationsPage } from "./pages/OperationsPage.tsx"
import { DeliveryPage } from "./pages/webhooks/WebhookDeliveries.tsx"
import { WebhooksPage } from "./pages/webhooks/WebhooksPage.tsx"
import { credential } from "./api/TabCredential.ts"
import { useLoad } from "./state/LoadHooks.ts"
import { route } from "./state/HashRouter.ts"
import { returnFromProvider, returning } from "./pages/ProviderReturn.ts"
import { chosenOrg, loadSession, orgNames, session } from "./state/ConsoleSession.ts"
import "../reference/style/common.css"
import "../reference/style/parts.css"
import "./style/base.css"
import "./style/shell.css"
import "./style/components.css"
import "./style/pages.css"

const NotFoundPage = () => (
  <Page title="Page not found">
    <EmptyState of={["search", "This page does not exist", <a href="#/">Back to the overview</a>]} />
  </Page>
)

const CurrentPage = () => {
  const { parts } = route.value
  const [place, id, ...rest] = parts
  if (place === "") return <OverviewPage />
  if (place === "payments") return id === undefined ? <PaymentsPage /> : <PaymentPage key={id} id={id} />
  if (place === "queue") return <OperationsPage />
  if (place === "links") return <PaymentLinksPage />
  if (place === "beneficiaries") return id === undefined ? <BeneficiariesPage /> : <BeneficiaryPage key={id} id={id} />
  if (place === "organization") return <OrganizationPage />
  if (place === "accounts") return id === undefined ? <AccountsPage /> : <AccountPage key={id} id={id} />
  if (place === "escrow") return id === undefined ? <EscrowsPage /> : <EscrowPage key={id} id={id} />
  if (place === "webhooks" && id === "deliveries" && rest[0] !== undefined)
    return <DeliveryPage key={rest[0]} id={rest[0]} />
  if (place === "webhooks" && id === "endpoints" && rest[0] !== undefined)
    return <EndpointPage key={rest[0]} id={rest[0]} />
  if (place === "webhooks") return <WebhooksPage tab={id ?? "endpoints"} />
  if (place === "providers") return <ProvidersPage tab={id ?? "preview"} />
  if (place === "rules") return <RulesPage tab={id ?? "limits"} />
  if (place === "kyb") return id === undefined ? <KybPage /> : <KybApplicationPage key={id} id={id} />
  if (place === "rates") return <RatesPage />
  if (place === "keys") return <ApiKeysPage />
  if (place === "members") return <MembersPage />
  if (place === "audit") return <AuditPage />
  return <NotFoundPage />
}

const SignedIn = () => {
  const { problem, reload } = useLoad(loadSession, [])
  if (session.value !== undefined) {
    return (
      <Shell>
        <CurrentPage />
      </Shell>
    )
  }
  return (
    <main class="waiting">
      {problem === undefined ? <Skeleton /> : <ProblemNote problem={problem} onRetry={reload} />}
    </main>
  )
}

const App = () => {
  const [place, token = ""] = route.value.parts
  if (returning.value) return <ReturningPage />
  if (place === "invitation") return <AcceptInvitation token={token} />
  return credential.value === undefined ? <SignInPage /> : <SignedIn />
}

// Clears everything of the previous user at sign-out.
effect(() => {
  if (credential.value !== undefined) return
  session.value = undefined
  chosenOrg.value = undefined
  orgNames.value = new Map()
})

void returnFromProvider()

const frame = document.getElementById("console")!
frame.textContent = ""
render(<App />, frame)
