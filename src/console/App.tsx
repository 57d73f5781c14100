/** The console from the door on: who somebody is decides what they are shown. */
import { Page } from "./parts/Page.tsx"
import { Empty } from "./parts/Empty.tsx"
import { ProblemNote } from "./parts/ProblemNote.tsx"
import { Shell } from "./parts/Shell.tsx"
import { Skeleton } from "./parts/Skeleton.tsx"
import { AcceptInvitation } from "./pages/AcceptInvitation.tsx"
import { Accounts } from "./pages/accounts/Accounts.tsx"
import { Account } from "./pages/accounts/Account.tsx"
import { Audit } from "./pages/Audit.tsx"
import { Escrows } from "./pages/escrow/Escrows.tsx"
import { Escrow } from "./pages/escrow/Escrow.tsx"
import { Keys } from "./pages/Keys.tsx"
import { Links } from "./pages/links/Links.tsx"
import { Members } from "./pages/members/Members.tsx"
import { Overview } from "./pages/overview/Overview.tsx"
import { PaymentPage } from "./pages/payment/PaymentPage.tsx"
import { Payments } from "./pages/payments/Payments.tsx"
import { Providers } from "./pages/providers/Providers.tsx"
import { Queue } from "./pages/queue/Queue.tsx"
import { SignIn } from "./pages/SignIn.tsx"
import { Delivery } from "./pages/webhooks/Delivery.tsx"
import { Webhooks } from "./pages/webhooks/Webhooks.tsx"
import { credential } from "./api/Credential.ts"
import { useLoad } from "./state/Load.ts"
import { route } from "./state/Router.ts"
import { loadSession, session } from "./state/Session.ts"

const Nowhere = () => (
  <Page title="Not here">
    <Empty icon="search" title="There is no such page">
      <a href="#/">Back to the overview</a>
    </Empty>
  </Page>
)

const Content = () => {
  const { parts } = route.value
  const [place, id, ...rest] = parts
  if (place === "") return <Overview />
  if (place === "payments") return id === undefined ? <Payments /> : <PaymentPage key={id} id={id} />
  if (place === "queue") return <Queue />
  if (place === "links") return <Links />
  if (place === "accounts") return id === undefined ? <Accounts /> : <Account key={id} id={id} />
  if (place === "escrow") return id === undefined ? <Escrows /> : <Escrow key={id} id={id} />
  if (place === "webhooks" && id === "deliveries" && rest[0] !== undefined)
    return <Delivery key={rest[0]} id={rest[0]} />
  if (place === "webhooks") return <Webhooks tab={id ?? "endpoints"} />
  if (place === "providers") return <Providers tab={id ?? "preview"} />
  if (place === "keys") return <Keys />
  if (place === "members") return <Members />
  if (place === "audit") return <Audit />
  return <Nowhere />
}

const SignedIn = () => {
  const { problem, reload } = useLoad((signal) => loadSession(signal), [])
  if (session.value !== undefined) {
    return (
      <Shell>
        <Content />
      </Shell>
    )
  }
  return (
    <main class="waiting">
      {problem === undefined ? <Skeleton /> : <ProblemNote problem={problem} onRetry={reload} />}
    </main>
  )
}

export const App = () => {
  const [place, token = ""] = route.value.parts
  if (place === "invitation") return <AcceptInvitation token={token} />
  return credential.value === undefined ? <SignIn /> : <SignedIn />
}
