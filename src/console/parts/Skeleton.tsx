/** Where something will be as soon as it is there. */
export const Skeleton = ({ lines = 5 }: { readonly lines?: number }) => (
  <div class="skeleton" role="status" aria-label="Loading">
    {Array.from({ length: lines }, (_, at) => (
      <span key={at} class={`line line-${at % 3}`} />
    ))}
  </div>
)
