import type { Model } from "./model.ts";

/** A model whose code is loaded when it is first asked, or when somebody has the time to `prepare` it. */
export function lazyModel(id: string, load: () => Promise<Model>): Model {
  let loading: Promise<Model> | undefined;
  const loaded = () => {
    if (!loading) {
      const started = load();
      // A file that could not be read this time is read again the next time.
      started.catch(() => {
        if (loading === started) loading = undefined;
      });
      loading = started;
    }
    return loading;
  };
  return {
    id,
    async prepare() {
      // The request itself tells what is wrong.
      await loaded().catch(() => {});
    },
    async *stream(request) {
      yield* (await loaded()).stream(request);
    },
  };
}
