import { CopyBlock } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { words } from '../../words/words.ts';

const text = words.people.secret;

/** A newly issued key. It exists only in the state of one component, and is removed together with that component. */
export interface IssuedKey {
  readonly name: string;
  readonly clientId: string;
  readonly secret: string;
  /** Explains who else has received the key, and whether the previous key still works. */
  readonly note: string;
}

/** Shows an issued key once. */
export const IssuedKeyDialog = ({
  issued,
  close,
}: {
  readonly issued: IssuedKey | null;
  readonly close: () => void;
}) => {
  return (
    <Dialog title={issued ? text.issued(issued.name) : ''} open={issued !== null} close={close} shownOnce>
      {issued ? (
        <div>
          <p>{issued.note}</p>
          <CopyBlock label={text.clientId} text={issued.clientId} />
          <CopyBlock label={text.clientSecret} text={issued.secret} />
        </div>
      ) : null}
    </Dialog>
  );
};
