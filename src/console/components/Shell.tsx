import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import { endSession } from "../api/ProviderSignIn.ts"
import { notice } from "./Dialog.tsx"
import { route } from "../state/HashRouter.ts"
import { type Access, hasAccess, session, loadOrgs, orgNames, chosenOrg, loadSession } from "../state/ConsoleSession.ts"
import { labelOf } from "../state/Display.ts"
import { Icon, type IconName } from "./Button.tsx"
import { useLoad } from "../state/LoadHooks.ts"
import { useSearchKey } from "../state/SearchKey.ts"
import { Field } from "./Form.tsx"

/** Lets a platform admin choose one organisation or all. */
const OrgSelect = () => {
  useLoad(loadOrgs, [])
  return (
    <Field
      name="organisation"
      label="Organisation"
      options={[["", "All organisations"], ...orgNames.value]}
      value={chosenOrg.value ?? ""}
      onInput={(chosen) => {
        chosenOrg.value = chosen === "" ? undefined : chosen
        void loadSession()
      }}
    />
  )
}

interface MenuEntry {
  readonly path: string
  readonly name: string
  readonly icon: IconName
  readonly access: Access
}

const menu: ReadonlyArray<MenuEntry> = [
  { path: "", name: "Overview", icon: "overview", access: "any" },
  { path: "payments", name: "Payments", icon: "payments", access: "transactions" },
  { path: "queue", name: "Operations", icon: "queue", access: "operations" },
  { path: "links", name: "Payment links", icon: "links", access: "payment_links" },
  { path: "beneficiaries", name: "Beneficiaries", icon: "beneficiary", access: "any" },
  { path: "accounts", name: "Virtual accounts", icon: "accounts", access: "any" },
  { path: "escrow", name: "Escrow", icon: "escrow", access: "escrow" },
  { path: "webhooks", name: "Webhooks", icon: "webhooks", access: "any" },
  { path: "providers", name: "Providers", icon: "providers", access: "any" },
  { path: "rules", name: "Rules", icon: "rules", access: "organization" },
  { path: "kyb", name: "KYB", icon: "certificate", access: "platform" },
  { path: "rates", name: "Rates and fees", icon: "money", access: "reports" },
  { path: "organization", name: "Organisation", icon: "organization", access: "any" },
  { path: "keys", name: "API keys", icon: "keys", access: "api_keys" },
  { path: "members", name: "Members", icon: "members", access: "member_list" },
  { path: "audit", name: "Audit log", icon: "audit", access: "audit" }
]

const SignedInUser = () => {
  const { credential, email, mode, organization, role } = session.value!
  return (
    <div class="user">
      <p class="user-name" title={email ?? ""}>
        {email ?? "Unknown"}
      </p>
      <p class="muted">
        {credential === "api_key" ? "API key, " : ""}
        {labelOf(role)}
        {mode === "sandbox" && <span class="mode">Sandbox</span>}
      </p>
      {role === "admin" ? <OrgSelect /> : <p class="muted">{organization?.name}</p>}
      <button class="button ghost" type="button" onClick={() => void endSession()}>
        <Icon name="out" />
        Sign out
      </button>
    </div>
  )
}

export const Shell = ({ children }: { readonly children: ComponentChildren }) => {
  const [open, setOpen] = useState(false)
  const { parts, path } = route.value
  useSearchKey()
  useEffect(() => setOpen(false), [path])
  return (
    <div class="shell">
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault()
          document.querySelector<HTMLElement>("h1")?.focus()
        }}
      >
        Skip to the content
      </a>
      <header class="top">
        <a class="brand" href="#/">
          <span class="mark" aria-hidden="true" />
          Corridor
        </a>
        <button
          class="copy menu-button"
          type="button"
          aria-expanded={open}
          aria-controls="places"
          aria-label={open ? "Close the menu" : "Open the menu"}
          onClick={() => setOpen(!open)}
        >
          <Icon name={open ? "cross" : "menu"} />
        </button>
      </header>
      <aside id="places" class={open ? "side open" : "side"} aria-label="Menu">
        <nav aria-label="Console">
          {menu
            .filter(({ access }) => hasAccess(access))
            .map(({ icon, name, path: to }) => (
              <a key={to} href={`#/${to}`} aria-current={parts[0] === to ? "page" : undefined}>
                <Icon name={icon} />
                {name}
              </a>
            ))}
        </nav>
        <SignedInUser />
      </aside>
      <main id="main">{children}</main>
      <div class="notices" role="status" aria-live="polite">
        {notice.value !== undefined && (
          <p class="notice">
            <Icon name="check" />
            {notice.value}
          </p>
        )}
      </div>
    </div>
  )
}
