import { Button } from "./Button.tsx"
import { Copy } from "./Copy.tsx"
import { Dialog } from "./Dialog.tsx"

interface Props {
  readonly title: string
  readonly secret: string
  readonly says: string
  readonly onClose: () => void
}

/** What is shown this once, and then never again. */
export const Secret = ({ onClose, says, secret, title }: Props) => (
  <Dialog title={title} onClose={onClose}>
    <p class="says">{says}</p>
    <p class="secret">
      <code>{secret}</code>
      <Copy text={secret} what="the secret" />
    </p>
    <div class="form-end">
      <Button kind="primary" onClick={onClose}>
        I have stored it
      </Button>
    </div>
  </Dialog>
)
