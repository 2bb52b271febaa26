//! Tests of samplers as objects.

use std::ptr::{null, null_mut};

use cl_sys::*;

use crate::check::Outcome;
use crate::context::Ctx;
use crate::{equal, fails, make, make_fails, ok, query, query_fails, tests};

tests! {
    "test_api":
        sampler_settings, sampler_properties, negative_sampler, negative_sampler_properties, sampler_life;
}

const ADDRESSING: [cl_uint; 5] = [
    CL_ADDRESS_NONE,
    CL_ADDRESS_CLAMP_TO_EDGE,
    CL_ADDRESS_CLAMP,
    CL_ADDRESS_REPEAT,
    CL_ADDRESS_MIRRORED_REPEAT,
];
const FILTERS: [cl_uint; 2] = [CL_FILTER_NEAREST, CL_FILTER_LINEAR];

/// CL_SAMPLER_PROPERTIES of 3.0.
const PROPERTIES: cl_uint = 0x1158;

fn settings(cx: &Ctx, sampler: cl_sampler) -> Outcome<(cl_bool, cl_uint, cl_uint)> {
    equal!(query!(cx.clGetSamplerInfo(sampler, CL_SAMPLER_CONTEXT)).value::<cl_context>()?, cx.context);
    Ok((
        query!(cx.clGetSamplerInfo(sampler, CL_SAMPLER_NORMALIZED_COORDS)).value()?,
        query!(cx.clGetSamplerInfo(sampler, CL_SAMPLER_ADDRESSING_MODE)).value()?,
        query!(cx.clGetSamplerInfo(sampler, CL_SAMPLER_FILTER_MODE)).value()?,
    ))
}

fn sampler_settings(cx: &Ctx) -> Outcome {
    for normalized in [CL_FALSE, CL_TRUE] {
        for addressing in ADDRESSING {
            for filter in FILTERS {
                let expected = (normalized, addressing, filter);
                let sampler = make!(cx.clCreateSampler(cx.context, normalized, addressing, filter));
                equal!(settings(cx, sampler)?, expected);
                equal!(query!(cx.clGetSamplerInfo(sampler, PROPERTIES)).size(), 0);
                ok!(cx.clReleaseSampler(sampler));
                let list = [
                    CL_SAMPLER_FILTER_MODE.into(),
                    filter.into(),
                    CL_SAMPLER_NORMALIZED_COORDS.into(),
                    normalized.into(),
                    CL_SAMPLER_ADDRESSING_MODE.into(),
                    addressing.into(),
                    0,
                ];
                let sampler = make!(cx.clCreateSamplerWithProperties(cx.context, list.as_ptr()));
                equal!(settings(cx, sampler)?, expected);
                equal!(query!(cx.clGetSamplerInfo(sampler, PROPERTIES)).array::<cl_ulong>()?, list.to_vec());
                ok!(cx.clReleaseSampler(sampler));
            }
        }
    }
    Ok(())
}

fn sampler_properties(cx: &Ctx) -> Outcome {
    let default = (CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST);
    let filter = [CL_SAMPLER_FILTER_MODE.into(), CL_FILTER_LINEAR.into(), 0];
    let lists: [(&[cl_ulong], _); 3] =
        [(&[], default), (&[0], default), (&filter, (1, default.1, CL_FILTER_LINEAR))];
    for (list, expected) in lists {
        let pointer = if list.is_empty() { null() } else { list.as_ptr() };
        let sampler = make!(cx.clCreateSamplerWithProperties(cx.context, pointer));
        equal!(settings(cx, sampler)?, expected);
        equal!(query!(cx.clGetSamplerInfo(sampler, PROPERTIES)).array::<cl_ulong>()?, list.to_vec());
        ok!(cx.clReleaseSampler(sampler));
    }
    Ok(())
}

fn negative_sampler(cx: &Ctx) -> Outcome {
    let (address, filter) = (CL_ADDRESS_CLAMP, CL_FILTER_NEAREST);
    for context in [null_mut(), cx.queue] {
        make_fails!(CL_INVALID_CONTEXT, cx.clCreateSampler(context, CL_TRUE, address, filter));
        make_fails!(CL_INVALID_CONTEXT, cx.clCreateSamplerWithProperties(context, null()));
    }
    for normalized in [2, cl_bool::MAX] {
        make_fails!(CL_INVALID_VALUE, cx.clCreateSampler(cx.context, normalized, address, filter));
    }
    for mode in [0, CL_ADDRESS_NONE - 1, CL_ADDRESS_MIRRORED_REPEAT + 1, filter] {
        make_fails!(CL_INVALID_VALUE, cx.clCreateSampler(cx.context, CL_TRUE, mode, filter));
    }
    for mode in [0, CL_FILTER_NEAREST - 1, CL_FILTER_LINEAR + 1, address] {
        make_fails!(CL_INVALID_VALUE, cx.clCreateSampler(cx.context, CL_TRUE, address, mode));
    }
    for handle in [null_mut(), cx.queue] {
        fails!(CL_INVALID_SAMPLER, cx.clRetainSampler(handle));
        fails!(CL_INVALID_SAMPLER, cx.clReleaseSampler(handle));
        query_fails!(CL_INVALID_SAMPLER, cx.clGetSamplerInfo(handle, CL_SAMPLER_CONTEXT));
    }
    let sampler = make!(cx.clCreateSampler(cx.context, CL_TRUE, address, filter));
    for name in [0, CL_CONTEXT_DEVICES, CL_SAMPLER_MIP_FILTER_MODE] {
        query_fails!(CL_INVALID_VALUE, cx.clGetSamplerInfo(sampler, name));
    }
    Ok(())
}

fn negative_sampler_properties(cx: &Ctx) -> Outcome {
    let number = |name: cl_uint| cl_ulong::from(name);
    let (coords, address) = (number(CL_SAMPLER_NORMALIZED_COORDS), number(CL_SAMPLER_ADDRESSING_MODE));
    let (filter, nearest) = (number(CL_SAMPLER_FILTER_MODE), number(CL_FILTER_NEAREST));
    let lists = [
        vec![coords, 2, 0],
        vec![coords, 1 << 32, 0],
        vec![address, nearest, 0],
        vec![filter, 0, 0],
        vec![filter, nearest | 1 << 32, 0],
        vec![1, 1, 0],
        vec![filter | 1 << 32, nearest, 0],
        vec![number(CL_SAMPLER_CONTEXT), 0, 0],
        // Mipmaps are not supported.
        vec![number(CL_SAMPLER_MIP_FILTER_MODE), nearest, 0],
        // The same property twice.
        vec![filter, nearest, filter, nearest, 0],
        vec![filter, nearest, coords, 1, filter, number(CL_FILTER_LINEAR), 0],
    ];
    for list in lists {
        make_fails!(CL_INVALID_VALUE, cx.clCreateSamplerWithProperties(cx.context, list.as_ptr()));
    }
    Ok(())
}

fn sampler_life(cx: &Ctx) -> Outcome {
    let own = cx.sibling()?;
    let sampler = make!(own.clCreateSamplerWithProperties(own.context, null()));
    let references = || query!(cx.clGetSamplerInfo(sampler, CL_SAMPLER_REFERENCE_COUNT)).value::<cl_uint>();
    equal!(references()?, 1);
    ok!(cx.clRetainSampler(sampler));
    equal!(references()?, 2);
    ok!(cx.clReleaseSampler(sampler));
    equal!(references()?, 1);
    // The sampler keeps its context alive.
    ok!(own.clReleaseCommandQueue(own.queue));
    ok!(own.clReleaseContext(own.context));
    equal!(query!(cx.clGetSamplerInfo(sampler, CL_SAMPLER_CONTEXT)).value::<cl_context>()?, own.context);
    ok!(cx.clReleaseSampler(sampler));
    if cx.is_vendor() {
        fails!(CL_INVALID_SAMPLER, cx.clReleaseSampler(sampler));
    }
    Ok(())
}
