import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"

/** The frame of what is seen before anybody is signed in. */
export const Door = ({ children, title }: { readonly title: string; readonly children: ComponentChildren }) => {
  useEffect(() => {
    document.title = `${title} · Corridor`
  }, [title])
  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <p class="brand">
          <span class="mark" aria-hidden="true" />
          Corridor
        </p>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  )
}
