use super::*;
use crate::c;
use crate::programs::{for_proof, inlined};
use relyant_cfa::LocationKind;
use relyant_cfa::options::Options;

const HEAD: &str = "typedef unsigned long pthread_t; typedef union { char s[40]; } pthread_mutex_t;\n\
    typedef union { char s[48]; } pthread_cond_t;\n\
    extern int pthread_create(pthread_t *, const void *, void *(*)(void *), void *), pthread_join(pthread_t, void **),\n\
    pthread_mutex_lock(pthread_mutex_t *), pthread_mutex_trylock(pthread_mutex_t *), pthread_mutex_unlock(pthread_mutex_t *),\n\
    pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *), pthread_cond_signal(pthread_cond_t *), __VERIFIER_nondet_int(void);\n\
    pthread_mutex_t a, b; int x;\n";

fn options() -> Options {
    Options { deadlock: true, ..Options::default() }
}

/// The order of a program, or why there is none.
fn order(text: &str) -> Result<Program, NoOrder> {
    let module = c::load_text("a.i", &format!("{HEAD}{text}"), &options()).expect("C");
    guarded(&inlined(&module, &options()).expect("a program")).map_err(|e| e.0)
}

fn guards(p: &Program) -> usize {
    let locations = p.templates.iter().flat_map(|t| &t.graph.locations);
    locations.filter(|l| l.kind == LocationKind::Limit(CIRCLE.into())).count()
}

fn two(first: &str, second: &str) -> String {
    format!(
        "void *f(void *p) {{ {first} return 0; }} void *g(void *p) {{ {second} return 0; }}\n\
         int main(void) {{ pthread_t s, t; pthread_create(&s, 0, f, 0); pthread_create(&t, 0, g, 0);\n\
         pthread_join(s, 0); pthread_join(t, 0); return 0; }}"
    )
}

const AB: &str = "pthread_mutex_lock(&a); pthread_mutex_lock(&b); x = 1; pthread_mutex_unlock(&b); pthread_mutex_unlock(&a);";
const BA: &str = "pthread_mutex_lock(&b); pthread_mutex_lock(&a); x = 2; pthread_mutex_unlock(&a); pthread_mutex_unlock(&b);";

#[test]
fn locks_in_one_order() {
    let p = order(&two(AB, AB)).expect("an order");
    assert_eq!(guards(&p), 0);
    assert_eq!(p.order.unwrap(), ["the end of f", "the end of g", "a", "b"]);
    let p = order(&two(AB, BA)).expect("guards");
    assert_eq!(guards(&p), 1);
}

#[test]
fn data_may_decide() {
    // In one order, but it takes a flag to see that.
    let both = "int k = __VERIFIER_nondet_int(); if (k) pthread_mutex_lock(&b); pthread_mutex_lock(&a);\n\
        pthread_mutex_unlock(&a); if (k) pthread_mutex_unlock(&b);";
    let p = order(&two(both, both)).expect("guards");
    assert!(guards(&p) > 0);
}

#[test]
fn a_join_waits_for_all_that_the_thread_waits_for() {
    let joined = "void *f(void *p) { pthread_mutex_lock(&a); pthread_mutex_unlock(&a); return 0; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&a); pthread_join(t, 0);\n\
        pthread_mutex_unlock(&a); return 0; }";
    assert_eq!(guards(&order(joined).expect("a guard")), 1);
    let around = "pthread_t me[2]; void *f(void *p) { pthread_join(me[1], 0); return 0; }\n\
        void *g(void *p) { pthread_join(me[0], 0); return 0; }\n\
        int main(void) { pthread_create(me, 0, f, 0); pthread_create(me + 1, 0, g, 0); return 0; }";
    assert!(matches!(order(around), Err(NoOrder::Circle(_))));
}

#[test]
fn a_lock_that_nobody_gives_back() {
    let kept = two("pthread_mutex_lock(&a);", "pthread_mutex_lock(&a); pthread_mutex_unlock(&a);");
    assert_eq!(guards(&order(&kept).expect("a guard")), 1);
    let through = "pthread_mutex_t *p = __VERIFIER_nondet_int() ? &a : &b; pthread_mutex_lock(p);";
    assert!(guards(&order(&two(through, through)).expect("guards")) > 0);
}

#[test]
fn locks_that_are_not_told_apart() {
    let one = "pthread_mutex_t *p = __VERIFIER_nondet_int() ? &a : &b; pthread_mutex_lock(p); pthread_mutex_unlock(p);";
    assert_eq!(guards(&order(&two(one, one)).expect("an order")), 0);
    let two_of = "pthread_mutex_t *p = __VERIFIER_nondet_int() ? &a : &b; pthread_mutex_lock(p); pthread_mutex_lock(&b);\n\
        pthread_mutex_unlock(&b); pthread_mutex_unlock(p);";
    assert!(guards(&order(&two(two_of, two_of)).expect("guards")) > 0);
    // Of two that are held one is given back; the other one is still held at the end.
    let tried = "pthread_mutex_t *p = __VERIFIER_nondet_int() ? &a : &b; pthread_mutex_lock(p);\n\
        if (pthread_mutex_trylock(&b) == 0) pthread_mutex_unlock(&b);";
    assert!(guards(&order(&two(tried, one)).expect("guards")) > 0);
}

#[test]
fn other_waits_have_no_order() {
    let signal = "pthread_cond_t c; void *f(void *p) { pthread_mutex_lock(&a); if (!x) pthread_cond_wait(&c, &a);\n\
        pthread_mutex_unlock(&a); return 0; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&a); x = 1;\n\
        pthread_cond_signal(&c); pthread_mutex_unlock(&a); return 0; }";
    assert_eq!(order(signal), Err(NoOrder::Waits));
}

#[test]
fn a_handle_that_nobody_gave() {
    let text = "pthread_t h; void *f(void *p) { return 0; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); h = 1 + (pthread_t)__VERIFIER_nondet_int(); pthread_join(h, 0); return 0; }";
    assert_eq!(order(text), Err(NoOrder::Waits));
}

#[test]
fn without_an_order_deadlocks_are_errors() {
    let waits = "pthread_t me[2]; void *f(void *p) { pthread_join(me[1], 0); return 0; }\n\
        void *g(void *p) { pthread_join(me[0], 0); return 0; }\n\
        int main(void) { pthread_create(me, 0, f, 0); pthread_create(me + 1, 0, g, 0); return 0; }";
    for (text, deadlock) in [(waits, true), (&two(AB, AB), false)] {
        let module = c::load_text("a.i", &format!("{HEAD}{text}"), &options()).expect("C");
        assert_eq!(for_proof(&module, &options()).expect("a program").deadlock, deadlock);
    }
}

#[test]
fn what_a_lock_in_a_slot_protects_is_no_lock() {
    let slots = "struct slot { pthread_mutex_t m; int n; } s[4];\n\
        void *f(void *p) { int k = (int)(long)p; struct slot *t = &s[k]; pthread_mutex_lock(&t->m); s[k].n = k + 1;\n\
        pthread_mutex_unlock(&s[k].m); return 0; }\n\
        int main(void) { pthread_t t; while (__VERIFIER_nondet_int()) pthread_create(&t, 0, f, (void *)(long)__VERIFIER_nondet_int());\n\
        return 0; }";
    let p = order(slots).expect("an order");
    // It was taken at one address and is given back at another.
    assert_eq!(p.order.expect("words"), ["s[…].m"]);
}
