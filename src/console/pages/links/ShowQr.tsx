import { useState } from "preact/hooks"
import { Button } from "../../parts/Button.tsx"
import { Copy } from "../../parts/Copy.tsx"
import { Dialog } from "../../parts/Dialog.tsx"
import { Qr } from "../../parts/Qr.tsx"
import { type Link, linkName } from "./Link.ts"

export const ShowQr = ({ link }: { readonly link: Link }) => {
  const [open, setOpen] = useState(false)
  const name = linkName(link)
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
