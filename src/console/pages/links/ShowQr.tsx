import { useState } from "preact/hooks"
import { Button } from "../../parts/Button.tsx"
import { Copy } from "../../parts/Copy.tsx"
import { Dialog } from "../../parts/Dialog.tsx"
import { Qr } from "../../parts/Qr.tsx"
import type { Link } from "./Link.ts"

export const ShowQr = ({ link }: { readonly link: Pick<Link, "description" | "link_ref" | "url"> }) => {
  const [open, setOpen] = useState(false)
  const name = link.description ?? link.link_ref
  return (
    <>
      <Button icon="qr" label={`QR code of ${name}`} onClick={() => setOpen(true)}>
        QR code
      </Button>
      {open && (
        <Dialog title={name} onClose={() => setOpen(false)}>
          <Qr text={link.url} what="the payment link" />
          <p class="with-copy centered">
            <code class="address">{link.url}</code>
            <Copy text={link.url} what="the address" />
          </p>
        </Dialog>
      )}
    </>
  )
}
